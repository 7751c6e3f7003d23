"""Several searches, or a search and a classifier, made one.

Invariant: what is fused is brought to one scale first; weights are never negative and count by their ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.ensembles.fitting import fit_weights
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats

__all__ = ["fit_fusion", "fuse", "fuse_logits", "fuse_shares"]


def fuse(searches: Sequence[Neighbours], weights: Sequence[float] = (), k: int = 10) -> Neighbours:
    """Late fusion: the k places with the largest weighted sum of similarity.

    Each search's similarity runs, for each query, from 0 just beyond its last neighbour to 1 at its first.
    """
    shares = _ratios(weights, searches)
    places = np.concatenate([one.places for one in searches], axis=1)
    near = [_normal(one) * share for one, share in zip(searches, shares, strict=True)]
    scores = np.where(places >= 0, np.concatenate(near, axis=1), 0)
    width = int(places.max(initial=0)) + 2  # -1 is a place too
    keys = np.arange(len(places))[:, None] * width + places + 1
    known, back = np.unique(keys, return_inverse=True)
    sums = np.bincount(back.ravel(), scores.ravel(), len(known))
    rows, found = known // width, known % width - 1
    rows, found, sums = rows[found >= 0], found[found >= 0], sums[found >= 0]
    order = np.lexsort((found, -sums, rows))
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    fused = Neighbours.none(len(places), k)
    kept = rank < k
    fused.places[rows[kept], rank[kept]] = found[order][kept]
    fused.scores[rows[kept], rank[kept]] = sums[order][kept]
    return fused


def fuse_shares(shares: Sequence[NDArray[Any]], weights: Sequence[float] = ()) -> Floats:
    """The weighted mean of vote shares, or of any probabilities: (query, label) each."""
    return np.average(np.stack(shares), axis=0, weights=_ratios(weights, shares)).astype(np.float32)


def fuse_logits(classifier: Floats, retrieved: Floats, weight: float) -> Floats:
    """(1 - weight) of the classifier and weight of the retrieval."""
    if not 0 <= weight <= 1:
        raise UsageError(f"The weight of the retrieval is {weight}. Give a share from 0 to 1.")
    return ((1 - weight) * classifier + weight * retrieved).astype(np.float32)


def fit_fusion(
    classifier: Floats,
    retrieved: Floats,
    truth: NDArray[np.bool_],
    objective: str = "log-loss",
    threshold: float = 0.0,
) -> float:
    """The weight of the retrieval that does best on held-out images."""
    return fit_weights(np.stack([classifier, retrieved]), truth, objective, threshold)[1]


def _normal(search: Neighbours) -> NDArray[np.float64]:
    there = search.there
    scores = np.where(there, search.scores, np.nan).astype(np.float64)
    top = np.fmax.reduce(scores, axis=1, keepdims=True)
    span = top - np.fmin.reduce(scores, axis=1, keepdims=True)
    # one step below the last, so that the last still counts
    step = span / np.maximum(there.sum(axis=1, keepdims=True) - 1, 1)
    whole = np.where(span > 0, span + step, 1)
    return np.where(there, 1 - (top - scores) / whole, 0)


def _ratios(weights: Sequence[float], fused: Sequence[object]) -> NDArray[np.float64]:
    given = np.asarray(weights or [1.0] * len(fused), np.float64)
    if (
        not len(fused)
        or len(given) != len(fused)
        or not np.isfinite(given).all()
        or given.min() < 0
        or not given.sum()
    ):
        raise UsageError(
            f"{len(fused)} things are fused with the weights {list(weights)}. Give one weight from 0 on for "
            "each, not all of them 0."
        )
    return given / given.sum()
