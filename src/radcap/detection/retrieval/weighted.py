"""The share of the neighbours' similarity that stands behind a label, as a logit."""

from __future__ import annotations

import numpy as np

from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats
from radcap.detection.retrieval.votes import logits_of, similarity_weights

__all__ = ["weighted", "weighted_shares"]


def weighted(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> Floats:  # noqa: ARG001 - the shape of a rule
    """The share of the neighbours that have a label, by nearness."""
    return logits_of(weighted_shares(index, neighbours))


def weighted_shares(index: NeighbourIndex, neighbours: Neighbours) -> Floats:
    """Between 0 and 1; 0 where no neighbour has any weight."""
    weights = similarity_weights(neighbours, index.metric)
    whole = weights.sum(axis=1, keepdims=True)
    return index.tags.votes(neighbours.places, weights) / np.where(whole > 0, whole, np.float32(1)).astype(
        np.float32
    )
