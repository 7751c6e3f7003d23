"""Files of captions: read, linked to concepts in processes, written as a run and as a table of mentions."""

from radcap.vocabulary.captions.linking import Linked, link_captions
from radcap.vocabulary.captions.reading import (
    ENDINGS,
    Caption,
    CaptionFile,
    CaptionFindings,
    open_captions,
)
from radcap.vocabulary.captions.working import LinkWork, link_texts
from radcap.vocabulary.captions.writing import MOST_CUIS, check_names

__all__ = [
    "ENDINGS",
    "MOST_CUIS",
    "Caption",
    "CaptionFile",
    "CaptionFindings",
    "LinkWork",
    "Linked",
    "check_names",
    "link_captions",
    "link_texts",
    "open_captions",
]
