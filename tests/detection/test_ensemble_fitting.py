"""Weights that are fitted, against scipy and exhaustive grids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from radcap.core import UsageError
from radcap.detection.decisions import sample_f1
from radcap.detection.ensembles import Ensemble, combine, fit_weights, fitted, fitting
from radcap.detection.ensembles.fitting import log_loss


def made(seed=0, members=3, images=300, labels=8):
    draw = np.random.default_rng(seed)
    hidden = draw.normal(-1, 2, (images, labels))
    truth = draw.random((images, labels)) < 1 / (1 + np.exp(-hidden))
    noise = np.array([0.5, 1.5, 4.0, 2.0])[:members, None, None]
    return (hidden + noise * draw.normal(size=(members, images, labels))).astype(np.float32), truth


def flat(logits, truth):
    return logits.reshape(len(logits), -1).T.astype(float), np.where(truth.ravel(), 1.0, -1.0)


@pytest.mark.parametrize("seed", range(3))
def test_log_loss_is_as_low_as_scipy_finds_it(seed):
    logits, truth = made(seed)
    cells, signs = flat(np.clip(logits, -5.9, None), truth)  # every cell counts
    found = log_loss(np.array(fit_weights(np.clip(logits, -5.9, None), truth, "log-loss")), cells, signs)
    best = minimize(
        log_loss,
        np.full(3, 1 / 3),
        (cells, signs),
        "SLSQP",
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
    )
    assert found <= best.fun + 1e-4


def test_weights_sum_to_one_and_favour_the_best():
    weights = fit_weights(*made(), "log-loss")
    assert sum(weights) == pytest.approx(1)
    assert weights[0] > weights[1] > weights[2] >= 0


@pytest.mark.parametrize("objective", ["sample-f1", "micro-f1"])
def test_f1_is_near_the_best_of_a_grid(objective):
    logits, truth = made(members=2)
    weights = fit_weights(logits, truth, objective)
    score = _f1(logits, truth, weights, objective)
    grid = [_f1(logits, truth, (share, 1 - share), objective) for share in np.linspace(0, 1, 101)]
    assert score >= max(grid) - 0.005
    assert score >= _f1(logits, truth, (1, 1), objective)


def _f1(logits, truth, weights, objective):
    decided = combine(Ensemble("weighted", weights=tuple(weights)), logits) >= 0
    if objective == "sample-f1":
        return sample_f1(decided, truth).mean()
    return 2 * (decided & truth).sum() / (decided.sum() + truth.sum())


def test_a_fitted_ensemble_carries_its_weights():
    logits, truth = made()
    assert len(fitted(Ensemble("weighted"), logits, truth).weights) == 3
    given = Ensemble("weighted", weights=(1.0, 2.0, 3.0))
    assert fitted(given, logits, truth) is given
    assert fitted(Ensemble(), logits, truth) == Ensemble()


def test_logits_that_are_all_low_are_still_fitted():
    logits = np.full((2, 3, 4), -20, np.float32)
    assert fit_weights(logits, np.zeros((3, 4), bool), "log-loss") == (0.5, 0.5)


def test_fitting_ends_after_so_many_steps(monkeypatch):
    logits, truth = made()
    monkeypatch.setattr(fitting, "_STEPS", 1)
    once = fit_weights(logits, truth, "log-loss")
    assert once[0] > 1 / 3
    assert sum(once) == pytest.approx(1)


def test_one_member_has_all_the_weight():
    logits, truth = made(members=1)
    assert fit_weights(logits, truth, "sample-f1") == (1.0,)


@pytest.mark.parametrize("shape", [(2, 4), (3, 0)])
def test_a_truth_that_does_not_fit_is_refused(shape):
    with pytest.raises(UsageError, match="Align them first"):
        fit_weights(np.zeros((2, 3, shape[1] if shape[0] == 3 else 5), np.float32), np.zeros(shape, bool))
