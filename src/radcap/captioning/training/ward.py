"""Clusters by Ward's linkage: the two are joined whose union raises the squares within clusters least.

By chains of nearest neighbours (Murtagh 1983), with the distances of Lance and Williams: memory and time grow
with the square of the rows.
Invariant: clusters are numbered by their first row; fewer rows than clusters are a cluster each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ward_clusters"]

Floats: TypeAlias = NDArray[np.float64]


def ward_clusters(rows: Floats, count: int) -> NDArray[np.int64]:
    """The cluster of each row, where the tree is cut into so many."""
    tree = sorted(_joins(rows), key=lambda one: one[0])  # of equal heights, what is below was joined before
    owner = np.arange(len(rows))
    for _, first, second in tree[: max(0, len(rows) - count)]:
        owner[owner == owner[second]] = owner[first]
    _, at, numbers = np.unique(owner, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(at))[numbers]


def _joins(rows: Floats) -> Iterator[tuple[float, int, int]]:
    """Every join: its height, and a row of either side."""
    apart, sizes = _distances(rows), np.ones(len(rows))
    chain: list[int] = []
    for _ in range(len(rows) - 1):
        first, second = _nearest_two(chain, apart, sizes)
        height = float(apart[first, second])
        yield height, first, second
        both = sizes[first] + sizes[second]
        raised = (sizes + sizes[first]) * apart[first] + (sizes + sizes[second]) * apart[second]
        apart[first] = apart[:, first] = (raised - sizes * height) / (both + sizes)
        sizes[first], sizes[second] = both, 0
        apart[second] = apart[:, second] = apart[first, first] = np.inf  # gone, and no neighbour of itself


def _nearest_two(chain: list[int], apart: Floats, sizes: Floats) -> tuple[int, int]:
    """Two clusters that are the nearest of each other, at the end of a chain that is gone on with."""
    if not chain:
        chain.append(int(np.flatnonzero(sizes)[0]))
    while True:
        last = chain[-1]
        nearest = int(apart[last].argmin())
        if len(chain) > 1 and apart[last, chain[-2]] <= apart[last, nearest]:
            return chain.pop(), chain.pop()
        chain.append(nearest)


def _distances(rows: Floats) -> Floats:
    """Squares of distances; infinite from a row to itself."""
    squares = np.vecdot(rows, rows)
    apart = np.maximum(squares[:, None] + squares - 2 * rows @ rows.T, 0)
    np.fill_diagonal(apart, np.inf)
    return apart
