"""What an explanation is: one picture, what was said of it, and for each statement where it comes from.

Invariant: maps lie over the picture (its height and width, in pixels of the picture that is kept here), are
finite, and never all zero: a statement without evidence in the image has no map, and a note that says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.explanation.faithfulness.values import Faithfulness, Sanity

__all__ = ["IMAGE", "Box", "Case", "Evidence", "Explanation", "Kind", "Origin"]

IMAGE = "the image itself"  # the path by which a statement comes from the image alone


class Kind(StrEnum):
    """What a statement is."""

    CONCEPT = "concept"
    WORD = "word"
    SPAN = "span"  # the words of a caption that name one concept
    CONTRAST = "contrast"  # why one and not another
    NEIGHBOUR = "neighbour"  # a training image that spoke


class Origin(StrEnum):
    """Whose computation a map is."""

    MODEL = "model"  # of the model that made the statement
    EXTERNAL = "external"  # of another, which says nothing about it


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture, in shares of its width and height; `share` of the relevance lies in it."""

    left: float
    top: float
    width: float
    height: float
    share: float

    def to_json(self) -> dict[str, float]:
        names = ("left", "top", "width", "height", "share")
        return {name: round(float(getattr(self, name)), 4) for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Why one statement was made. `key` is its name in files: letters, digits and `-`.

    `map` is height x width; above zero speaks for the statement, below zero against it. `place` is where the
    statement stands in the caption, first letter and the one after the last.
    """

    key: str
    kind: Kind
    label: str
    map: NDArray[np.float32] | None
    cui: Cui = ""
    probability: float | None = None
    spread: NDArray[np.float32] | None = None  # of the map, where the method knows it
    boxes: tuple[Box, ...] = ()
    place: tuple[int, int] | None = None
    localisable: bool = True
    note: str = ""  # what the map does not say, or why there is none
    paths: tuple[tuple[str, float], ...] = ()  # whence it comes, by share: the image itself, concepts told
    faithfulness: Faithfulness | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "kind": self.kind.value,
            "label": self.label,
            "cui": self.cui or None,
            "probability": None if self.probability is None else round(self.probability, 4),
            "place": None if self.place is None else list(self.place),
            "has_map": self.map is not None,
            "localisable": self.localisable,
            "note": self.note,
            "paths": {name: round(share, 4) for name, share in self.paths},
            "boxes": [one.to_json() for one in self.boxes],
            "faithfulness": None if self.faithfulness is None else self.faithfulness.to_json(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A training image that is near: what is known of it, and under which licence it may be shown."""

    image: str
    similarity: float
    caption: str = ""
    caption_source: str = ""
    concepts: tuple[str, ...] = ()  # names of those it shares with what was said
    licence: str = ""
    attribution: str = ""
    picture: NDArray[np.uint8] | None = None  # height x width x 3, small

    def to_json(self) -> dict[str, Any]:
        return {
            "image": self.image,
            "similarity": round(self.similarity, 4),
            "caption": self.caption,
            "caption_source": self.caption_source,
            "shared": list(self.concepts),
            "licence": self.licence,
            "attribution": self.attribution,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """One image, explained. `picture` is height x width x 3."""

    image: str
    picture: NDArray[np.uint8]
    model: str
    method: str
    origin: Origin
    evidence: tuple[Evidence, ...]
    caption: str = ""
    rationale: str = ""
    cases: tuple[Case, ...] = ()
    attribution: str = ""  # of the picture itself, where its dataset tells it
    sanity: Sanity | None = None
    notes: tuple[str, ...] = field(default=())  # about the image as a whole

    @property
    def shown(self) -> tuple[Evidence, ...]:
        """Those that a figure has a panel for: concepts and spans with a map, each concept once."""
        kinds = (Kind.SPAN, Kind.CONCEPT, Kind.CONTRAST, Kind.NEIGHBOUR)
        found: dict[str, Evidence] = {}
        for one in sorted(self.evidence, key=_order):  # spans as the caption is read
            if one.kind in kinds and one.map is not None:
                found.setdefault(one.cui or one.key, one)
        return tuple(found.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "image": self.image,
            "model": self.model,
            "method": self.method,
            "origin": self.origin.value,
            "caption": self.caption,
            "rationale": self.rationale,
            "evidence": [one.to_json() for one in self.evidence],
            "cases": [one.to_json() for one in self.cases],
            "attribution": self.attribution,
            "sanity": None if self.sanity is None else self.sanity.to_json(),
            "notes": list(self.notes),
        }


def _order(evidence: Evidence) -> tuple[int, int]:
    kinds = (Kind.SPAN, Kind.CONCEPT, Kind.CONTRAST, Kind.NEIGHBOUR, Kind.WORD)
    return kinds.index(evidence.kind), -1 if evidence.place is None else evidence.place[0]
