"""How alike two maps are: Spearman's rank correlation, which asks for the order of places and no scale.

Invariant: equal values share their mean rank; a map without any differences is like no other, which is 0.
>>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 15.0])), 6)
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["mean_ranks", "rank_correlation"]


def rank_correlation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """Spearman's correlation of two maps, 0 where one of them is flat."""
    first, second = (_centred(mean_ranks(each)) for each in (one, other))
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size else 0.0


def mean_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """From 1 up.

    >>> mean_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[places.ravel()]


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values - values.mean()
