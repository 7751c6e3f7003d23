"""Neighbours that count by their rank, with weights and a threshold that a genetic search found (AUEB 2024).

The share of the weights behind a label is given as a logit, moved so that the threshold of the search lies at
a probability of one half: calibration and a decision rule may follow, or 0.5 decides.

Invariant: weights are found on the images of the index, none of which is a neighbour to its own group.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from radcap.core import UsageError
from radcap.detection.retrieval.breeding import RankVotes, bred
from radcap.detection.retrieval.config import Retrieval
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.rank_weights import RankWeights
from radcap.detection.retrieval.vectors import Floats
from radcap.detection.retrieval.votes import logits_of

__all__ = ["learn_ranks", "learned", "with_ranks"]

_MOST_IMAGES = 2000
_CELLS = 2**26  # of (label of an image, rank) that are weighed together: 256 MiB
_LABELS_PER_NEIGHBOUR = 4


def learned(index: NeighbourIndex, neighbours: Neighbours, retrieval: Retrieval) -> Floats:
    """The share of the learned weights behind a label, against the learned threshold. In an index that has
    learned none, all neighbours count alike, and `share` is the threshold."""
    there, k = neighbours.there, index.reach(retrieval.k)
    ranks = index.ranks or RankWeights.equal(k, retrieval.share)
    if len(ranks.weights) not in {k, retrieval.k}:
        raise UsageError(
            f"The index has learned weights of {len(ranks.weights)} neighbours, and k is {retrieval.k}."
            " Give the k that it was trained with, or train it again."
        )
    weights = np.where(there, ranks.weights[: there.shape[1]], 0)
    whole = weights.sum(axis=1, keepdims=True)
    shares = (index.tags.votes(neighbours.places, weights) / np.where(whole > 0, whole, 1)).astype(np.float32)
    ends = logits_of(np.array([0, ranks.cut], np.float32))
    found: Floats = logits_of(shares) - ends[1]
    return np.where(shares > 0, found, np.minimum(found, ends[0]))  # what nobody has is not moved up


def with_ranks(index: NeighbourIndex, retrieval: Retrieval, seed: int) -> NeighbourIndex:
    """The index with what its rule learns; one whose rule learns nothing as it is."""
    return index if retrieval.rule != "learned" else replace(index, ranks=learn_ranks(index, retrieval, seed))


def learn_ranks(index: NeighbourIndex, retrieval: Retrieval, seed: int) -> RankWeights:
    """The weights that give the images of the index their labels by their neighbours of other groups.

    At most 2,000 images are asked, evenly spread.
    """
    k = index.reach(retrieval.k)
    if not len(index):
        return RankWeights.equal(k, retrieval.share)
    groups = [group or own for group, own in zip(index.groups or index.ids, index.ids, strict=True)]
    most = min(_MOST_IMAGES, len(index), max(1, _CELLS // (_LABELS_PER_NEIGHBOUR * k * k)))
    rows = np.unique(np.linspace(0, len(index) - 1, most).astype(np.int64))
    found = replace(index, groups=tuple(groups)).search(
        np.asarray(index.vectors[rows]),
        k,
        [groups[int(row)] for row in rows],
        engine=retrieval.engine,
        approximate=retrieval.approximate,
    )
    if not found.there.any():
        return RankWeights.equal(k, retrieval.share)
    return bred(RankVotes.of(index.tags, rows, found.places), seed)
