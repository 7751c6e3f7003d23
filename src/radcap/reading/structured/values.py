"""A structured report: what a reading supports, in the parts that a radiology report has.

Invariant: whatever the report states is a concept that the reading decided for and that its caption does not
deny; all text is on one line and holds no sign that steers. That nothing is there to see is never stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from radcap.captioning.grammar import Role
    from radcap.core import Cui
    from radcap.explanation.values import Box

__all__ = ["EvidencePicture", "Nearest", "StructuredReport", "Supported"]

_EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Supported:
    """A concept of the report. `place` tells in words where its map lies, `note` what to know of the map."""

    cui: Cui
    name: str
    p: float | None  # calibrated; missing where a model only decides
    role: Role
    certainty: str
    place: str = ""
    boxes: tuple[Box, ...] = ()
    note: str = ""

    @property
    def is_likely(self) -> bool:
        """Not less likely than not: a decision can be worth its risk at a low probability."""
        return self.p is None or self.p >= _EVEN


@dataclass(frozen=True, slots=True)
class EvidencePicture:
    """The image, with the map and the boxes of one concept (`cui`) where there is a map."""

    data: bytes
    kind: str  # as in `image/jpeg`
    about: str  # in words, for who cannot see it
    width: int
    height: int
    cui: Cui = ""


@dataclass(frozen=True, slots=True)
class Nearest:
    """A training image that is near, and whose it is. What it shows is its own, and stays out."""

    image: str
    similarity: float
    shared: tuple[str, ...]  # names of concepts of this report
    origin: str


@dataclass(frozen=True, slots=True)
class StructuredReport:
    """One report. The concepts stand in the order of the reading; `disputed` ones are nowhere asserted."""

    image: str
    model: str
    modalities: tuple[Supported, ...]
    regions: tuple[Supported, ...]
    views: tuple[Supported, ...]
    findings: tuple[Supported, ...]  # and what is none of the other kinds
    disputed: tuple[Supported, ...]  # decided for, and denied by the caption
    impression: tuple[str, ...]
    technique: str
    limits: tuple[str, ...]
    picture: EvidencePicture
    nearest: tuple[Nearest, ...] = ()
    method: str = ""
    radiology: float | None = None
    attribution: str = ""
    issued: datetime | None = None

    @property
    def supported(self) -> tuple[Supported, ...]:
        """All that is asserted."""
        return self.modalities + self.regions + self.views + self.findings
