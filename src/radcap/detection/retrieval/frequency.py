"""Labels that enough of the neighbours have: k 100 and a share of .30 (CMRE-UoG 2022), or .50 (2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours

__all__ = ["frequency"]


def frequency(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> NDArray[np.bool_]:
    """The share is of the neighbours that are there."""
    counts = index.tags.votes(neighbours.places, neighbours.there)
    needed = np.maximum(np.ceil(retrieval.share * neighbours.there.sum(axis=1) - 1e-9), 1)  # .3 * 10 is 3
    return counts >= needed[:, None]
