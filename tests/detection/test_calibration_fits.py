"""Platt, temperature and isotonic fits: against scikit-learn and SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.calibration import _SigmoidCalibration  # pyright: ignore[reportPrivateUsage]
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from radcap.detection.calibration import samples
from radcap.detection.calibration.isotonic import fit_isotonic
from radcap.detection.calibration.platt import fit_platt, sigmoid
from radcap.detection.calibration.samples import Sample, sample_of
from radcap.detection.calibration.temperature import fit_temperature

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMN = np.array([0])


def drawn(
    images: int, slope: float, offset: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    logits = generator.normal(scale=3.0, size=(images, 1))
    return logits, generator.random((images, 1)) < sigmoid(slope * logits + offset)


@pytest.mark.parametrize(
    ("images", "slope", "offset"),
    [(30, 1.0, 0.0), (500, 0.3, -2.0), (2000, 2.0, 1.0), (400, -0.5, 0.0), (300, 1.0, -5.0), (200, 9.0, 0.0)],
)
def test_platt_as_scikit_learn(images: int, slope: float, offset: float) -> None:
    logits, truth = drawn(images, slope, offset, seed=images)
    found = fit_platt(sample_of(logits, truth, COLUMN))
    theirs = _SigmoidCalibration().fit(logits[:, 0], truth[:, 0].astype(int))
    assert found == pytest.approx((-theirs.a_, -theirs.b_), rel=2e-3, abs=2e-3)
    positives = truth.sum()
    targets = np.where(truth[:, 0], (positives + 1) / (positives + 2), 1 / (images - positives + 2))
    both = np.concatenate([np.ones(images), np.zeros(images)])
    logistic = LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000)
    logistic.fit(np.vstack([logits, logits]), both, sample_weight=np.concatenate([targets, 1 - targets]))
    theirs = float(np.ravel(logistic.coef_)[0]), float(np.ravel(logistic.intercept_)[0])
    assert found == pytest.approx(theirs, rel=1e-4, abs=1e-4)


def test_platt_where_logits_separate_or_are_equal() -> None:
    logits = np.array([[-1.0], [1.0]])
    slope, offset = fit_platt(sample_of(logits, logits > 0, COLUMN))
    assert sigmoid(np.array([slope + offset]))[0] == pytest.approx(2 / 3)
    slope, offset = fit_platt(sample_of(np.zeros((4, 1)), np.array([[True], [False]] * 2), COLUMN))
    assert np.isfinite([slope, offset]).all()
    assert sigmoid(np.array([offset]))[0] == pytest.approx(0.5)
    far = np.array([[-1e6], [1e6], [1e-9], [3e5]])
    assert np.isfinite(fit_platt(sample_of(far, far > 0, COLUMN))).all()


@pytest.mark.parametrize(("images", "slope"), [(50, 1.0), (1000, 0.2), (1000, 4.0)])
def test_temperature_as_scipy(images: int, slope: float) -> None:
    logits, truth = drawn(images, slope, 0.0, seed=images)
    column, there = logits[:, 0], truth[:, 0]

    def loss(log_slope: float) -> float:
        bent = np.exp(log_slope) * column
        return float(np.logaddexp(0, bent).sum() - bent[there].sum())

    wanted = minimize_scalar(
        loss, bounds=(np.log(0.01), np.log(100)), method="bounded", options={"xatol": 1e-10}
    )
    assert fit_temperature(sample_of(logits, truth, COLUMN)) == pytest.approx(np.exp(wanted.x), rel=1e-4)  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    ("logits", "truth", "low", "high"),
    [
        ([-2.0, 2.0], [False, True], 15, 100),  # always likelier when surer, until it cannot be told
        ([-2.0, 2.0], [True, False], 0.01, 0.0101),  # always likelier when less sure
        ([0.0, 0.0], [True, False], 0.01, 100),  # no temperature is likelier than another
        ([-800.0, 900.0, 1.0], [False, True, True], 30, 100),
        ([-0.01, 0.01], [False, True], 99.9, 100),
    ],
)
def test_temperature_stays_within_its_limits(
    logits: list[float], truth: list[bool], low: float, high: float
) -> None:
    found = fit_temperature(sample_of(np.array(logits)[:, None], np.array(truth)[:, None], COLUMN))
    assert low <= found <= high


def test_temperature_gives_up_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.detection.calibration.temperature._STEPS", 1)
    logits, truth = drawn(200, 4.0, 0.0, seed=1)
    assert 0.01 < fit_temperature(sample_of(logits, truth, COLUMN)) < 100


def test_platt_gives_up_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, truth = drawn(200, 1.0, 0.0, seed=1)
    sample = sample_of(logits, truth, COLUMN)
    monkeypatch.setattr("radcap.detection.calibration.platt._HALVINGS", 0)
    assert fit_platt(sample)[0] == 0.0
    monkeypatch.setattr("radcap.detection.calibration.platt._HALVINGS", 40)
    monkeypatch.setattr("radcap.detection.calibration.platt._STEPS", 1)
    assert 0 < fit_platt(sample)[0] < 1


def test_platt_halves_a_step_that_goes_uphill() -> None:
    """A start far from an answer with flat ends: full Newton steps would overshoot."""
    logits = np.concatenate([np.full(1000, -1.0), [50.0, 60.0, 70.0], np.full(3, -1.0)])[:, None]
    truth = np.concatenate([np.zeros(1000), np.ones(6)]).astype(bool)[:, None]
    targets = np.where(truth[:, 0], 7 / 8, 1 / 1002)

    def loss(theta: NDArray[np.float64]) -> float:
        bent = theta[0] * logits[:, 0] + theta[1]
        return float(np.logaddexp(0, bent).sum() - targets @ bent)

    theirs = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert fit_platt(sample_of(logits, truth, COLUMN)) == pytest.approx(tuple(theirs.x), rel=1e-4)


@pytest.mark.parametrize(("images", "rounded"), [(5, 3), (60, 1), (400, 0), (400, 6)])
def test_isotonic_as_scikit_learn(images: int, rounded: int) -> None:
    logits, truth = drawn(images, 1.0, -1.0, seed=images)
    logits = logits.round(rounded)
    curve = fit_isotonic(sample_of(logits, truth, COLUMN))
    theirs = IsotonicRegression(out_of_bounds="clip").fit(logits[:, 0], truth[:, 0].astype(float))
    asked = np.linspace(-12, 12, 1001)
    np.testing.assert_allclose(curve(asked), theirs.predict(asked), atol=1e-12)
    assert np.all(np.diff(curve(asked)) >= 0)


def test_many_cells_are_binned_without_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, truth = drawn(20_000, 0.6, -1.0, seed=3)
    exact = sample_of(logits, truth, COLUMN)
    few = sample_of(logits, truth, COLUMN, 2**13)
    assert len(few.logits) <= 2**11
    assert fit_platt(few) == pytest.approx(fit_platt(exact), rel=1e-4)
    monkeypatch.setattr(samples, "_EXACT", 2**14)
    binned = sample_of(logits, truth, COLUMN)
    assert len(binned.logits) < len(exact.logits) == 20_000
    assert binned.seen.sum() == 20_000
    assert binned.positives.sum() == truth.sum()
    assert np.all(np.diff(binned.logits) > 0)
    assert fit_platt(binned) == pytest.approx(fit_platt(exact), rel=1e-4)
    assert fit_temperature(binned) == pytest.approx(fit_temperature(exact), rel=1e-4)
    same = sample_of(np.ones((20, 1)), truth[:20], COLUMN, 8)
    assert same.logits.tolist() == [1.0]


def test_one_sided() -> None:
    none = np.zeros(0)
    assert Sample(none, none, none).one_sided
    assert Sample(np.zeros(1), np.ones(1), np.ones(1)).one_sided
    assert not Sample(np.zeros(1), np.full(1, 2.0), np.ones(1)).one_sided
