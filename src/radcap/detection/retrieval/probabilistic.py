"""Probabilistic kNN (IPL 2017): P(label | image) from votes that fade with distance, smoothed by the prior.

P(l) = (sum of w_j y_jl + m prior_l) / (sum of w_j + m), with w_j = exp((s_j - s_1) / temperature) and m the
smoothing. Given as logits, so that calibration and a decision rule follow.
"""

from __future__ import annotations

from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats
from radcap.detection.retrieval.votes import kernel_weights, logits_of

__all__ = ["probabilistic"]


def probabilistic(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> Floats:
    """Votes weighted by nearness, drawn towards how frequent a label is."""
    weights = kernel_weights(neighbours, retrieval.temperature)
    votes = index.tags.votes(neighbours.places, weights)
    prior = retrieval.smoothing * index.tags.shares
    return logits_of((votes + prior) / (weights.sum(axis=1, keepdims=True) + retrieval.smoothing))
