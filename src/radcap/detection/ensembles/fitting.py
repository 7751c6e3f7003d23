"""Weights of members, fitted on held-out images.

Invariant: weights are never negative and sum to 1; an ensemble that is fitted with nothing to choose comes
back unchanged. Log-loss is convex in the weights, so its answer is the best; F1 is searched from there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.scoring import F1, Floats, cells_of, f1_scores
from radcap.detection.ensembles.values import Decided, Logits

__all__ = ["fit_weights", "fitted", "log_loss"]

_STEPS = 200
_ENOUGH = 1e-7  # of the loss: no step gains more
_FLOOR = -6.0  # logits: a cell below it everywhere is decided by no weight
_CELLS = 2**21  # cells that the loss is taken over; more are thinned evenly
_MOVES = (0.5, 0.25, 0.1, 0.05)


def fitted(ensemble: Ensemble, logits: Logits, truth: Decided) -> Ensemble:
    """The ensemble with its weights, where its rule has weights that are not given."""
    if ensemble.rule != "weighted" or ensemble.weights:
        return ensemble
    return replace(ensemble, weights=fit_weights(logits, truth, ensemble.objective, ensemble.threshold))


def fit_weights(
    logits: Logits, truth: Decided, objective: str = "log-loss", threshold: float = 0.0
) -> tuple[float, ...]:
    """One weight per member; `logits` is (member, image, label). F1 is that of a cut at `threshold`."""
    if logits.shape[1:] != truth.shape or not truth.size:
        raise UsageError(
            f"The members' logits have the shape {logits.shape}, the truth {truth.shape}. Weights are fitted "
            "on held-out images that have both. Align them first."
        )
    weights = _least_loss(*_samples(logits, truth))
    if objective != "log-loss":
        weights = _best_f1(
            logits, truth, weights, "micro-f1" if objective == "micro-f1" else "sample-f1", threshold
        )
    return tuple(float(weight) for weight in weights)


def log_loss(weights: Floats, cells: Floats, signs: Floats) -> float:
    """The mean log-loss of the weighted logits; `signs` is +1 where the label is true, else -1."""
    return float(np.logaddexp(0.0, -signs * (cells @ weights)).mean())


def _samples(logits: Logits, truth: Decided) -> tuple[Floats, Floats]:
    """(cell, member) logits and signs of the cells that a weight can change, no more than are needed."""
    kept = np.flatnonzero((truth | (logits > _FLOOR).any(axis=0)).ravel())
    kept = kept[:: max(1, len(kept) // _CELLS)]
    if not len(kept):
        kept = np.arange(truth.size)
    cells = logits.reshape(len(logits), -1)[:, kept].T.astype(np.float64)
    return cells, np.where(truth.ravel()[kept], 1.0, -1.0)


def _least_loss(cells: Floats, signs: Floats) -> Floats:
    """Exponentiated gradient on the simplex, with a step that halves until it helps."""
    weights = np.full(cells.shape[1], 1 / cells.shape[1])
    loss, rate = log_loss(weights, cells, signs), 1.0
    for _ in range(_STEPS):
        wrong = -signs * np.exp(-np.logaddexp(0.0, signs * (cells @ weights)))
        slope = cells.T @ wrong / len(cells)
        tried, rate = _step(weights, slope, cells, signs, rate)
        found = log_loss(tried, cells, signs)
        if found > loss - _ENOUGH:
            break
        weights, loss = tried, found
    return weights


def _step(weights: Floats, slope: Floats, cells: Floats, signs: Floats, rate: float) -> tuple[Floats, float]:
    loss = log_loss(weights, cells, signs)
    rate *= 4
    while True:
        moved = weights * np.exp(-rate * (slope - slope.min()))
        moved /= moved.sum()
        if log_loss(moved, cells, signs) <= loss or rate < _ENOUGH:
            return moved, rate
        rate /= 2


def _best_f1(logits: Logits, truth: Decided, start: Floats, objective: F1, threshold: float) -> Floats:
    """Coordinate search: weight moves to or from one member as long as F1 rises."""
    cells = cells_of(
        np.logical_or.reduce(logits >= threshold, axis=0), truth
    )  # a mean reaches it only where a member does
    parts = logits[:, cells.rows, cells.columns]
    equal = np.full_like(start, 1 / len(start))
    weights, best = start, -1.0
    tried = np.stack([start, equal])
    while True:
        chosen = tried.astype(np.float32) @ parts >= threshold
        scores = f1_scores(cells, chosen, objective)
        if scores.max() <= best:
            return weights
        weights, best = tried[np.argmax(scores)], float(scores.max())
        tried = _moved(weights)


def _moved(weights: NDArray[np.float64]) -> Floats:
    """Weights a little away: each member towards 1 and towards 0."""
    single = np.eye(len(weights))
    nearer = [(1 - move) * weights + move * one for move in _MOVES for one in single]
    less = [weights * (1 - move * one) for move in (*_MOVES, 1.0) for one in single]
    tried = np.stack([*nearer, *less])
    tried = tried[tried.sum(axis=1) > 0]
    return tried / tried.sum(axis=1, keepdims=True)
