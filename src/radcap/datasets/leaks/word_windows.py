"""The words of many texts as numbers in a row, and a hash of any run of them.

Invariant: two runs of the same words have the same hash, whatever the case and the signs between; different
ones share a hash of 64 bits by chance only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from radcap.datasets.lists import lengths, where

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Words", "read_words"]

_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers can be undone modulo 2 ** 64
_INVERSE = pow(_BASE, -1, 1 << 64)


@dataclass(frozen=True, slots=True)
class Words:
    """Texts laid end to end."""

    starts: NDArray[np.int64]  # where each text begins, and one more
    _sums: NDArray[np.uint64]  # of word times power, before each word
    _undo: NDArray[np.uint64]  # the inverse power of each place

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def hashes(self, begins: NDArray[np.int64], length: int | NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hash of the words from each place on."""
        return (self._sums[begins + length] - self._sums[begins]) * self._undo[begins]

    def windows(self, texts: NDArray[np.int64], length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every place in these texts from which so many words follow, and the text it is in."""
        counts = np.maximum(self.lengths[texts] - length + 1, 0)
        owners = np.repeat(texts, counts)
        steps = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.starts[owners] + steps, owners


def read_words(texts: Any) -> Words:
    """The words of each text: letters and digits, in small letters."""
    plain = pc.replace_substring_regex(pc.utf8_lower(texts), r"[^\p{L}\p{N}]+", " ")
    cut = pc.split_pattern(plain, " ")
    cut = where(cut, pc.not_equal(cut.flatten(), "").to_numpy(zero_copy_only=False))
    codes = cut.flatten().dictionary_encode().indices.to_numpy().astype(np.uint64)
    n = len(codes)
    mixed = _mixed(codes + np.uint64(1))
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed * _powers(_BASE, n), dtype=np.uint64)))
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths(cut))))
    return Words(starts, sums, _powers(_INVERSE, n))


def _powers(base: int, n: int) -> NDArray[np.uint64]:
    """Powers of a number modulo 2 ** 64, from the zeroth on."""
    steps = np.full(n, base, np.uint64)
    steps[:1] = 1
    return np.cumprod(steps, dtype=np.uint64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers spread over all 64 bits, by the finaliser of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
