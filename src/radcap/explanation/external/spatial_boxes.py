"""Boxes by the words of a phrase alone: a reference that looks at no pixel.

Invariant: a phrase without side or level words gets no box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.external.provider import FoundBox
from radcap.explanation.external.spatial import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.system import ExplainSystem

__all__ = ["SpatialBoxes", "make_spatial"]


@dataclass(frozen=True, slots=True)
class SpatialBoxes:
    """The places of the words, each with the same score."""

    score: float = 0.2

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:  # noqa: ARG002 - blind
        return [
            FoundBox(phrase, box, self.score, how="the place that the words name")
            for phrase in phrases
            for box in places(phrase)
        ]


def make_spatial(system: ExplainSystem) -> SpatialBoxes:
    """The provider that a system asks for."""
    return SpatialBoxes(system.spatial.score)
