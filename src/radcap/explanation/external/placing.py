"""Boxes held to the places that words and arrows name.

Invariant: a box that somebody found is only dropped, never moved; a place stands for a phrase only where no
box is left, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.external.arrows import find_arrows
from radcap.explanation.external.provider import FoundBox
from radcap.explanation.external.regions import around, covered, holds
from radcap.explanation.external.spatial import names_arrow, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.external.provider import BoxProvider
    from radcap.explanation.external.settings import SpatialSettings
    from radcap.explanation.values import Box

__all__ = ["Placed"]

_BY_WORDS = "the place that the words name"
_BY_ARROW = "what a drawn arrow points at"


@dataclass(frozen=True, slots=True)
class Placed:
    """Another provider's boxes, in places."""

    inner: BoxProvider
    settings: SpatialSettings

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        found = self.inner.boxes(picture, phrases)
        pointed = self._pointed(picture, phrases)
        return [box for phrase in phrases for box in self._of(phrase, found, pointed)]

    def _pointed(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> tuple[tuple[float, float], ...]:
        """Where arrows point at, looked for only if a phrase speaks of one."""
        if self.settings.arrows and any(map(names_arrow, phrases)):
            return tuple(one.points_at for one in find_arrows(picture))
        return ()

    def _of(
        self, phrase: str, found: Sequence[FoundBox], pointed: Sequence[tuple[float, float]]
    ) -> list[FoundBox]:
        own = [one for one in found if one.phrase == phrase]
        by_words = places(phrase) if self.settings.words else ()
        if by_words:
            own = [one for one in own if _lies_in(one.box, by_words, self.settings.overlap)]
        if pointed and names_arrow(phrase):
            met = [one for one in own if any(holds(one.box, *point) for point in pointed)]
            return met or self._standing(phrase, self._squares(pointed), _BY_ARROW)
        return own or self._standing(phrase, by_words, _BY_WORDS)

    def _squares(self, pointed: Sequence[tuple[float, float]]) -> list[Box]:
        return [around(*point, self.settings.size) for point in pointed]

    def _standing(self, phrase: str, boxes: Sequence[Box], how: str) -> list[FoundBox]:
        return [FoundBox(phrase, one, self.settings.score, how=how) for one in boxes]


def _lies_in(box: Box, named: Sequence[Box], least: float) -> bool:
    return any(covered(box, one) >= least for one in named)
