"""Coarse values of all pairs, from which the few that matter are taken and compared anew.

Invariant: the true value of a pair is `unit * coarse + offset`, give or take `slack`; all three are per
query, and the slack is proven, never estimated.

A value orders vectors as the metric does: the cosine, or minus half the squared distance.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.vectors import Floats, Vectors

__all__ = ["Coarse", "PlainProducts", "half_squares", "lengths", "rounding"]


class Coarse(Protocol):
    """Values that are had quickly, and what is known about them."""

    unit: Floats
    offset: Floats
    slack: Floats

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """(query, vector) for some queries. The caller may write to it; the next call may overwrite it."""
        ...


class PlainProducts:
    """float32 products: only rounding separates them from the true values."""

    def __init__(self, vectors: Vectors, queries: Vectors, metric: Metric) -> None:
        self._vectors, self._queries = vectors, queries
        self._half = half_squares(vectors) if metric == "euclid" else None
        self.unit = np.ones(len(queries), np.float32)
        self.offset = -half_squares(queries) if metric == "euclid" else np.zeros(len(queries), np.float32)
        reach = lengths(vectors).max(initial=0)
        far = (lengths(queries) + reach) ** 2 if metric == "euclid" else lengths(queries) * reach
        self.slack = 4 * rounding(queries.shape[1]) * far

    def block(self, start: int, stop: int) -> NDArray[Any]:
        values = self._queries[start:stop] @ self._vectors.T
        if self._half is not None:
            values -= self._half  # |q - x|^2 / 2 = |q|^2 / 2 - (qx - |x|^2 / 2)
        return values


def rounding(width: int) -> np.float32:
    """How far a sum of so many float32 products may be off, relative to the lengths: the worst case."""
    return np.float32((width + 8) * np.finfo(np.float32).eps / 2)


def lengths(vectors: Vectors) -> Floats:
    """The Euclidean length of each vector."""
    return np.sqrt(np.vecdot(vectors, vectors))


def half_squares(vectors: Vectors) -> Floats:
    """Half of the squared length of each vector, which a distance needs."""
    return np.vecdot(vectors, vectors) / 2
