"""Where in an image the statements of a reading come from, quickly.

Invariant: the maps are of the model that answered, by the method that the study chose for its kind; occlusion
goes over a coarser grid than `radcap explain` takes, so that a reading costs about half as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.models import CaptionAnswers
from radcap.explanation.gathering import evidence_of, methods_of
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.subjects.opening import Photo, subject_of
from radcap.explanation.subjects.wanted import Wanted
from radcap.explanation.system import BoxSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.datasets import Record
    from radcap.explanation.values import Evidence
    from radcap.reading.looking import Look, Readable

__all__ = ["QUICK", "Explained", "explained"]

QUICK = MethodChoice(settings={"occlusion": {"grid": 5}})  # 36 looks in place of 64
_WANTED = Wanted(frozenset({"concepts", "words", "spans"}))


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """The picture, and the evidence that lies over it."""

    picture: NDArray[np.uint8]
    evidence: tuple[Evidence, ...]
    method: str
    notes: tuple[str, ...]


def explained(model: Readable, look: Look, record: Record, row: int) -> Explained:
    """Maps for all that was said of an image."""
    answers = CaptionAnswers(look.lines, "") if look.lines else look.answers
    subject = subject_of(model, answers, Photo.of(record.id, record.image, row), _WANTED)
    found = mapped(subject.statements, QUICK, *subject.picture.shape[:2])
    pairs = zip(subject.statements, found, strict=True)
    evidence = tuple(evidence_of(*pair, BoxSettings()) for pair in pairs)
    return Explained(subject.picture, evidence, methods_of(found), subject.notes)
