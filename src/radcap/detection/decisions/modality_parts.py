"""The parts of a mixture over modalities: their weights and their probabilities.

Invariant: every image has at least one part, and its weights add to 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.platt import sigmoid
from radcap.detection.decisions.set_store import log_odds

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers

__all__ = ["log_ratios", "modality_weights", "shifted"]

_SMALLEST = 0.01  # weight of a part that is worth its time
_HALVINGS = 45


def log_ratios(truth: Bools, columns: Ints, prior: float) -> Floats:
    """log-odds of each label given a modality, minus its log-odds: (modalities + 1, labels)."""
    has = np.concatenate([truth[:, columns], ~truth[:, columns].any(axis=1, keepdims=True)], axis=1)
    share = (truth.sum(axis=0) + 0.5) / (len(truth) + 1)
    counts = has.sum(axis=0)[:, None]
    together = has.T.astype(np.float64) @ truth
    weight = max(prior, 0.5)  # a modality without an image has the shares of all
    given = (together + weight * share) / (counts + weight)
    return log_odds(given) - log_odds(share)


def modality_weights(probabilities: Numbers) -> tuple[Ints, Ints, Floats]:
    """Row, part and weight of every part that counts: one modality, or none (the last part).

    It is the law of independent modalities, given that there is at most one.
    """
    odds = np.exp(log_odds(probabilities))
    odds = np.concatenate([odds, np.ones((len(odds), 1))], axis=1)
    weights = odds / odds.sum(axis=1, keepdims=True)
    weights[weights < _SMALLEST] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    row, part = np.nonzero(weights)
    return row, part, weights[row, part]


def shifted(
    probabilities: Floats, moved: Floats, row: Ints, weights: Floats, *, keep_marginals: bool
) -> Floats:
    """Probabilities of the candidates in each part: (rows, m) and moves (parts, m) to (parts, m)."""
    odds = log_odds(probabilities)
    if not keep_marginals:
        return sigmoid(odds[row] + moved)
    first = np.flatnonzero(np.diff(row, prepend=-1))
    low = odds - np.maximum.reduceat(moved, first, axis=0)
    high = odds - np.minimum.reduceat(moved, first, axis=0)
    wanted = sigmoid(odds)
    for _ in range(_HALVINGS):  # the parts together rise with the shift, so halving finds it
        middle = (low + high) / 2
        found = np.add.reduceat(weights[:, None] * sigmoid(middle[row] + moved), first, axis=0)
        less = found < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return sigmoid((low + high)[row] / 2 + moved)
