"""The labels of the picture that is nearly the same, where there is one; else nothing.

Invariant: it answers only for queries that have a near duplicate, so it stands first in a `fallback`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours

__all__ = ["duplicate_answer"]


def duplicate_answer(
    index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval
) -> NDArray[np.bool_]:
    """The labels of the nearest image where it is near enough to be the same one, else none."""
    nearest = neighbours.first(1)
    same = nearest.there & (nearest.scores >= retrieval.threshold)
    return index.tags.votes(nearest.places, same) > 0
