"""Trained captioners: their folder, and what they write."""

from radcap.captioning.models.answers import (
    CaptionAnswers,
    Draft,
    Line,
    NeighbourCaption,
    Refinement,
    write_log,
)
from radcap.captioning.models.folder import CaptionFolder
from radcap.captioning.models.opening import Captioner, open_captioner

__all__ = [
    "CaptionAnswers",
    "CaptionFolder",
    "Captioner",
    "Draft",
    "Line",
    "NeighbourCaption",
    "Refinement",
    "open_captioner",
    "write_log",
]
