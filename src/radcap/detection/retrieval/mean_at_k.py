"""Mean@kNN (2019-2020): the most frequent labels of the neighbours, as many as they have on average.

Invariant: of labels that are equally frequent, the one more frequent in the whole index goes first, then the
one that stands first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours

__all__ = ["mean_at_k"]


def mean_at_k(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> NDArray[np.bool_]:  # noqa: ARG001 - the shape of a rule
    """The most frequent labels of the neighbours, as many as a neighbour has on average."""
    there = neighbours.there
    counts = index.tags.votes(neighbours.places, there)
    labels = np.where(there, index.tags.counts[neighbours.places], 0) if len(index) else np.zeros(there.shape)
    many = np.floor(labels.sum(axis=1) / np.maximum(there.sum(axis=1), 1) + 0.5)  # halves go up
    order = np.lexsort((np.broadcast_to(-index.tags.shares, counts.shape), -counts), axis=1)
    rank = np.arange(counts.shape[1], dtype=np.int64)
    decided = np.zeros(counts.shape, bool)
    np.put_along_axis(decided, order, rank < many[:, None], axis=1)
    return decided & (counts > 0)
