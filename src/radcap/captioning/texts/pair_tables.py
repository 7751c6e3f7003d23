"""What stands beside what, how often, and the few directions that tell most of it.

Counts of pairs become positive pointwise mutual information (PPMI), and that a truncated singular value
decomposition: what word2vec does without saying so (Levy and Goldberg 2014).
Invariant: a table is symmetric and holds its cells alone, so that 20,000 words need no 20,000 x 20,000
numbers; the same table and seed give the same vectors, with one sign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["PairTable", "leading_vectors", "positive_information"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

_BESIDE = 32  # directions that are followed beside those that are wanted
_ROUNDS = 8  # of following them
_CELLS = 1 << 22  # products at once
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The cells of a symmetric table, row by row."""

    size: int
    rows: Ints  # ascending
    columns: Ints
    values: Floats

    @classmethod
    def of(cls, size: int, pairs: Iterable[tuple[Ints, Ints]]) -> PairTable:
        """How often each pair comes, either way round."""
        keys, counts = np.zeros(0, np.int64), np.zeros(0)
        for first, second in pairs:
            found = np.concatenate([first * size + second, second * size + first])
            new, times = np.unique(found, return_counts=True)
            keys, places = np.unique(np.concatenate([keys, new]), return_inverse=True)
            counts = _summed(places, np.concatenate([counts, times.astype(np.float64)]), len(keys))
        rows, columns = np.divmod(keys, max(size, 1))
        return cls(size, rows, columns, counts)

    def sums(self) -> Floats:
        """Of each row."""
        return _summed(self.rows, self.values, self.size)

    def times(self, dense: Floats) -> Floats:
        """The product with a matrix."""
        product = np.zeros((self.size, dense.shape[1]))
        for part in self._parts(max(1, _CELLS // max(dense.shape[1], 1))):
            rows = self.rows[part]
            starts = np.flatnonzero(np.diff(rows, prepend=-1))
            cells = self.values[part, None] * dense[self.columns[part]]
            product[rows[starts]] += np.add.reduceat(cells, starts, axis=0)
        return product

    def _parts(self, step: int) -> Iterator[slice]:
        return (slice(start, start + step) for start in range(0, len(self.values), step))


def positive_information(counts: PairTable) -> PairTable:
    """How often a pair comes, over how often by chance: the logarithm of that, where it is above 0."""
    sums = counts.sums()
    chance = sums[counts.rows] * sums[counts.columns]
    told = np.log(counts.values * sums.sum() / chance)
    kept = told > 0
    return replace(counts, rows=counts.rows[kept], columns=counts.columns[kept], values=told[kept])


def leading_vectors(table: PairTable, width: int, seed: int = 0) -> Floats:
    """A vector for each row, of the `width` largest singular values (their roots scale the axes).

    By subspace iteration (Halko, Martinsson and Tropp 2011). The largest number of each axis is positive; a
    row without a cell has zeros alone, and so has an axis that is but rounding.
    """
    few = min(table.size, width + _BESIDE)
    found = np.random.default_rng(seed).standard_normal((table.size, few))
    for _ in range(_ROUNDS):
        found = np.linalg.qr(table.times(found)).Q
    inner = found.T @ table.times(found)
    values, turn = np.linalg.eigh((inner + inner.T) / 2)
    order = np.argsort(-np.abs(values), kind="stable")[:width]
    sizes = np.abs(values[order])
    sizes[sizes <= _ROUNDING * sizes.max(initial=0)] = 0
    told = np.zeros((table.size, 1))
    told[table.rows] = 1
    vectors = told * (found @ turn[:, order]) * np.sqrt(sizes)
    return vectors * _signs(vectors)


def _summed(places: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(places, values, size).astype(np.float64)


def _signs(vectors: Floats) -> Floats:
    high, low = vectors.max(axis=0, initial=0), vectors.min(axis=0, initial=0)
    return np.where(high < -low, -1.0, 1.0)
