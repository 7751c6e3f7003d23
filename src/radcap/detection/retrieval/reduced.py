"""The approximate search without another library: few dimensions first, all of them for the best.

Invariant: scores are true ones; what may be missing is a neighbour whose nearness shows only in the
dimensions that were left out. Nothing is proven here: the benchmark measures what is found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.choosing import Choice
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.products import products
from radcap.detection.retrieval.ranking import nearest_of, values_of
from radcap.detection.retrieval.searching import Search
from radcap.detection.retrieval.vectors import Vectors

__all__ = ["main_axes", "reduced_search"]

_DIMENSIONS = 256
_SAMPLE = 8192  # vectors that the axes are taken from
_LEAST_COMPARED = 100
_COMPARED = 4  # times k


def main_axes(vectors: Vectors, count: int) -> Vectors:
    """The directions that hold most of the vectors' squared length: (dimension, axis), orthonormal.

    There are no more than vectors.
    """
    some = vectors[:: max(1, len(vectors) // _SAMPLE)]
    if len(some) < some.shape[1]:
        return np.ascontiguousarray(np.linalg.svd(some, full_matrices=False)[2][:count].T)
    return np.ascontiguousarray(np.linalg.eigh(some.T @ some)[1][:, ::-1][:, :count])


def reduced_search(search: Search) -> Neighbours:
    """The nearest k among the vectors that are nearest in few dimensions."""
    if not len(search.vectors):
        return Neighbours.none(len(search.queries), search.k)
    axes = main_axes(search.vectors, _DIMENSIONS)
    coarse = products(search.vectors @ axes, search.queries @ axes, search.metric)
    compared = min(len(search.vectors), max(_LEAST_COMPARED, _COMPARED * search.k))
    nothing = np.zeros(0, np.int64)

    def compare(values: NDArray[Any], start: int) -> Neighbours:
        choice = Choice(values, compared)
        where = search.vectors, search.queries[start : start + len(values)], search.metric
        known = np.where(choice.counts, values_of(choice.first, *where), -np.inf).astype(np.float32)
        return nearest_of(Neighbours(choice.first, known), (nothing, nothing), where, search.k)

    return search.by_blocks(coarse.block, compare)
