"""True values of pairs, and the nearest k of each query.

Invariant: the value of a pair depends neither on the other pairs nor on the way they were found.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats, Vectors

__all__ = ["Where", "nearest_of", "true_values", "values_of"]

Places: TypeAlias = NDArray[np.int64]
Where: TypeAlias = tuple[Vectors, Vectors, Metric]  # the vectors, the queries, how they are compared


def true_values(query: Vectors, near: Vectors, metric: Metric) -> Floats:
    """The cosines of one query to some vectors, or minus half the squared distances."""
    if metric == "cosine":
        return np.vecdot(near, query)
    gap = near - query
    return np.vecdot(gap, gap) * np.float32(-0.5)


def values_of(places: Places, vectors: Vectors, queries: Vectors, metric: Metric) -> Floats:
    """The values of each query to the vectors named in its row."""
    values = np.empty(places.shape, np.float32)
    for row, query in enumerate(queries):
        values[row] = true_values(query, np.take(vectors, places[row], axis=0), metric)
    return values


def nearest_of(known: Neighbours, more: tuple[Places, Places], search: Where, k: int) -> Neighbours:
    """The best k of each query among vectors whose values are known, and the pairs (row, place) of others."""
    vectors, queries, metric = search
    found = Neighbours.none(len(queries), k)
    rows, places = more
    ends = np.searchsorted(rows, np.arange(len(queries) + 1)).tolist()
    for row, query in enumerate(queries):
        others = places[ends[row] : ends[row + 1]]
        near = np.concatenate([known.places[row], others])
        values = np.concatenate(
            [known.scores[row], true_values(query, np.take(vectors, others, axis=0), metric)]
        )
        order = np.lexsort((near, -values))[:k]
        order = order[values[order] > -np.inf]
        found.places[row, : len(order)] = near[order]
        found.scores[row, : len(order)] = values[order]
    return found
