"""A reading: what was seen in one image, how sure that is, and where in the image it comes from.

Invariant: concepts are those that the model decided for, with calibrated probabilities, the modality first,
then region and view, then findings, each kind by probability. Nothing that was not decided for is in a
reading, except a modality: where none was decided for, there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from radcap.captioning.grammar import Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.explanation.values import Case, Evidence

__all__ = ["ORDER", "RESEARCH_ONLY", "Reading", "Seen", "Unread"]

RESEARCH_ONLY = "Research software, not a medical device: do not use it for diagnosis."

ORDER = (Role.MODALITY, Role.REGION, Role.DIRECTION, Role.FINDING, Role.OTHER)  # in which concepts are told


@dataclass(frozen=True, slots=True)
class Seen:
    """A concept that the model decided for; `p` is calibrated, and missing where a model only decides."""

    cui: Cui
    name: str
    p: float | None
    role: Role

    def to_json(self) -> dict[str, Any]:
        return {"cui": self.cui, "name": self.name, "p": _rounded(self.p), "role": self.role.value}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One image, read. `picture` is height x width x 3, its longer side at most 320 pixels.

    `evidence` has the statements of `radcap.explanation`: concepts by `cui`, words and spans of the caption
    by `place`, each with a map over the picture or a note why there is none; it is empty without maps.
    """

    image: str  # as it was named: a path, or an id of a dataset
    model: str
    concepts: tuple[Seen, ...]
    caption: str
    picture: NDArray[np.uint8]
    radiology: float | None = None  # probability that it is a radiology image, where the model can tell
    evidence: tuple[Evidence, ...] = ()
    neighbours: tuple[Case, ...] = ()
    method: str = ""  # by which the maps were made
    attribution: str = ""  # of the image itself, where its dataset tells it
    notes: tuple[str, ...] = field(default=())

    @property
    def modality(self) -> Seen | None:
        """The most probable one that was decided for."""
        return next(iter(self.of(Role.MODALITY)), None)

    @property
    def regions(self) -> tuple[Seen, ...]:
        return self.of(Role.REGION)

    @property
    def views(self) -> tuple[Seen, ...]:
        return self.of(Role.DIRECTION)

    @property
    def findings(self) -> tuple[Seen, ...]:
        """Findings, and what is none of the other kinds."""
        return self.of(Role.FINDING) + self.of(Role.OTHER)

    def of(self, role: Role) -> tuple[Seen, ...]:
        return tuple(one for one in self.concepts if one.role is role)

    def evidence_of(self, cui: Cui) -> Evidence | None:
        """Where a concept comes from, where that was asked for."""
        return next((one for one in self.evidence if one.cui == cui and one.place is None), None)

    def to_json(self) -> dict[str, Any]:
        return {
            "image": self.image,
            "radiology": _rounded(self.radiology),
            "modality": None if self.modality is None else self.modality.to_json(),
            "concepts": [one.to_json() for one in self.concepts],
            "caption": self.caption,
            "neighbours": [one.to_json() for one in self.neighbours],
            "explanations": [one.to_json() for one in self.evidence],
            "method": self.method or None,
            "attribution": self.attribution,
            "notes": list(self.notes),
            "model": self.model,
            "use": RESEARCH_ONLY,
        }

    def _repr_html_(self) -> str:
        from radcap.reading.notebooks import reading_html

        return reading_html(self)


@dataclass(frozen=True, slots=True)
class Unread:
    """An image that was not read, and why. `radiology` is told where it looks like no radiology image."""

    image: str
    why: str
    code: str = ""
    radiology: float | None = None

    def to_json(self) -> dict[str, Any]:
        told = {"image": self.image, "error": self.why, "code": self.code or None}
        return {**told, "radiology": _rounded(self.radiology)}


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(float(p), 4)
