"""Averaged perceptrons (Freund and Schapire 1999), one for each concept, as UAPT 2017 had them.

Invariant: a label's weights change only by images it is wrong about, whatever labels are beside it. The
average over all steps answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.learners.linear import Scaling
from radcap.detection.learners.margins import log_odds_weights

if TYPE_CHECKING:
    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Floats, Truth
    from radcap.detection.learners.linear import LinearLearner

__all__ = ["fit_perceptron"]

_LABELS = 256  # at a time: the margins of all images are held for each
_TOGETHER = 32  # images a step: one by one takes hours where there are many labels


def fit_perceptron(settings: Learner, vectors: Floats, truth: Truth) -> LinearLearner:
    """Perceptrons of some labels at once, over the images in an order by lot that is the same for all."""
    scaling = Scaling.of(vectors)
    x, seed = scaling.apply(vectors), settings.seed or 0
    some = range(0, truth.shape[1], _LABELS)
    parts = [_fitted(x, truth[:, start : start + _LABELS], settings.rounds, seed) for start in some]
    return scaling.learner("perceptron", np.concatenate(parts, axis=1))


def _fitted(x: Floats, truth: Truth, rounds: int, seed: int) -> Floats:
    """The weights of labels that are learnt together, for log-odds."""
    theta = _averaged(x, np.where(truth, np.float32(1), np.float32(-1)), rounds, seed)
    return log_odds_weights(theta, x, truth)


def _averaged(x: Floats, signs: Floats, rounds: int, seed: int) -> Floats:
    chance = np.random.default_rng(seed)
    theta = np.zeros((x.shape[1], signs.shape[1]), np.float32)
    total, steps = np.zeros_like(theta), 0
    for _ in range(rounds):
        order = chance.permutation(len(x))
        for start in range(0, len(x), _TOGETHER):
            some = order[start : start + _TOGETHER]
            wrong = signs[some] * (x[some] @ theta) <= 0
            theta += x[some].T @ (signs[some] * wrong)
            total += theta
            steps += 1
    return total / np.float32(steps)
