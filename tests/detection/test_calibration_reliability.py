"""Reliability, expected calibration error, Brier score: against plain loops and scikit-learn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from radcap.core import UsageError
from radcap.detection.calibration import brier, ece, reliability


def plain_ece(probabilities: list[float], truth: list[bool], bins: int) -> float:
    """Cell by cell, as the definition reads."""
    total = 0.0
    for low in range(bins):
        inside = [
            (p, there)
            for p, there in zip(probabilities, truth, strict=True)
            if low / bins <= p < (low + 1) / bins or (p == 1 and low == bins - 1)
        ]
        if inside:
            said = sum(p for p, _ in inside) / len(inside)
            seen = sum(there for _, there in inside) / len(inside)
            total += abs(said - seen) * len(inside) / len(probabilities)
    return total


@pytest.mark.parametrize("bins", [1, 2, 8, 16])  # binary fractions: no cell lies on a rounded edge
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_ece_as_a_plain_loop(bins: int, kind: type[np.floating]) -> None:
    generator = np.random.default_rng(bins)
    probabilities = generator.random((40, 7)).astype(kind)
    probabilities[0, :3] = 0.0, 1.0, 0.5
    truth = generator.random((40, 7)) < probabilities**2
    wanted = plain_ece(probabilities.ravel().tolist(), truth.ravel().tolist(), bins)
    assert ece(probabilities, truth, bins) == pytest.approx(wanted, abs=1e-12)
    assert brier(probabilities, truth) == pytest.approx(
        brier_score_loss(truth.ravel(), probabilities.ravel()), abs=1e-7
    )


def test_the_table() -> None:
    table = reliability(np.array([[0.1, 0.2, 1.0]]), np.array([[False, True, True]]), bins=4)
    assert table.edges == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert table.counts == (2, 0, 0, 1)
    assert table.mean_probability == pytest.approx((0.15, 0, 0, 1.0))
    assert table.observed == (0.5, 0.0, 0.0, 1.0)
    assert json.loads(json.dumps(table.to_json()))["counts"] == [2, 0, 0, 1]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_is_honest(shape: tuple[int, int]) -> None:
    assert ece(np.zeros(shape), np.zeros(shape, bool)) == 0
    assert brier(np.zeros(shape), np.zeros(shape, bool)) == 0


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_what_is_no_probability_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="Calibrate logits first"):
        ece(np.array([[value]]), np.array([[True]]))
    with pytest.raises(UsageError, match="Probabilities hold"):
        brier(np.array([[value]]), np.array([[True]]))


def test_no_bins_are_refused() -> None:
    with pytest.raises(UsageError, match="bins = 0"):
        reliability(np.zeros((1, 1)), np.zeros((1, 1), bool), bins=0)
