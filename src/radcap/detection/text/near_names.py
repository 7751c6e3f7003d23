"""The name that is most like some words, if it is like enough.

Invariant: likeness is that of `difflib` (twice the letters in common blocks, over all letters), so that the
same words have the same answer everywhere. Names that cannot reach the cutoff, by their length or by the
letters they share, are passed over: the answer is the same as if every name were compared.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NearNames"]

_KEPT = 100_000  # answers that are remembered
_SLACK = 1e-9  # of sums of fractions


@dataclass(frozen=True, eq=False)
class NearNames:
    """Names in normal form; of equally near ones the first is meant."""

    names: tuple[str, ...]
    cutoff: float
    _told: dict[str, int | None] = field(default_factory=dict[str, "int | None"], repr=False)

    def nearest(self, words: str) -> int | None:
        """The place of the nearest name."""
        if words not in self._told:
            if len(self._told) >= _KEPT:
                self._told.clear()
            self._told[words] = self._compared(words)
        return self._told[words]

    def _compared(self, words: str) -> int | None:
        matcher = SequenceMatcher(None, "", words, autojunk=False)
        best, found = self.cutoff, None
        bound = self._bound(words)
        for place in np.flatnonzero(bound >= self.cutoff - _SLACK).tolist():
            if found is not None and bound[place] <= best:
                continue
            matcher.set_seq1(self.names[place])
            ratio = matcher.ratio()
            if ratio > best or (found is None and ratio >= best):
                best, found = ratio, place
        return found

    def _bound(self, words: str) -> NDArray[np.float64]:
        """What the likeness of each name is at most: all letters that both have would be in blocks."""
        letters = np.array([self._alphabet.get(sign, -1) for sign in words], np.int64)
        counted = np.bincount(letters[letters >= 0], minlength=len(self._alphabet))
        shared = np.minimum(self._counts, counted).sum(axis=1)
        return 2 * shared / np.maximum(self._lengths + len(words), 1)

    @cached_property
    def _alphabet(self) -> dict[str, int]:
        return {sign: number for number, sign in enumerate(sorted(set("".join(self.names))))}

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return np.array([len(name) for name in self.names], np.int64)

    @cached_property
    def _counts(self) -> NDArray[np.int32]:
        counts = np.zeros((len(self.names), len(self._alphabet)), np.int32)
        for row, name in enumerate(self.names):
            for sign, n in Counter(name).items():
                counts[row, self._alphabet[sign]] = n
        return counts
