"""What the labels of neighbours add up to.

Invariant: weights are never negative; a neighbour that is not there has none.
"""

from __future__ import annotations

import numpy as np

from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats

__all__ = ["kernel_weights", "logits_of", "similarity_weights"]

_LEAST = 1e-7  # the probability of what no neighbour has


def kernel_weights(neighbours: Neighbours, temperature: float) -> Floats:
    """exp(score / temperature), relative to the nearest, whose weight is 1."""
    nearest = np.where(neighbours.there[:, :1], neighbours.scores[:, :1], 0)
    weights = np.exp((neighbours.scores - nearest) / np.float32(temperature))
    return np.where(neighbours.there, weights, 0).astype(np.float32)


def similarity_weights(neighbours: Neighbours, metric: Metric) -> Floats:
    """A cosine as it is, never below 0; of a distance d, 1 / (1 + d)."""
    scores = np.where(neighbours.there, neighbours.scores, 0)
    weights = np.maximum(scores, 0) if metric == "cosine" else 1 / (1 - scores)
    return np.where(neighbours.there, weights, 0).astype(np.float32)


def logits_of(shares: Floats) -> Floats:
    """Probabilities as logits, kept away from 0 and 1."""
    inside = np.clip(shares.astype(np.float64), _LEAST, 1 - _LEAST)
    return (np.log(inside) - np.log1p(-inside)).astype(np.float32)
