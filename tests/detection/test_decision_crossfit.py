"""Cross-fitting: no image is decided by what saw its group."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from decision_samples import NAMES, predictions

from radcap.core import UsageError
from radcap.detection.calibration import Calibration, fit_calibration
from radcap.detection.decisions import Decision, cross_fit, fit_rule, sample_f1
from radcap.detection.decisions.crossfit import fold_of_each
from radcap.stats import percentile_interval, resampled_means


def test_out_of_fold_by_hand() -> None:
    logits, truth, labels = predictions(90)
    calibration, decision = Calibration(), Decision("global")
    groups = [f"article {number // 4}" for number in range(90)]
    found = cross_fit(calibration, decision, logits, truth, labels, groups=groups, folds=3, seed=4)
    assert set(found.folds.tolist()) == {0, 1, 2}
    for group in set(groups):
        assert (
            len({fold for fold, one in zip(found.folds.tolist(), groups, strict=True) if one == group}) == 1
        )
    for fold in range(3):
        inside = found.folds == fold
        calibrator = fit_calibration(calibration, logits[~inside], truth[~inside], labels)
        rule = fit_rule(decision, calibrator(logits[~inside]), truth[~inside], labels)
        np.testing.assert_array_equal(found.decided[inside], rule(calibrator(logits[inside])))
        np.testing.assert_array_equal(found.probabilities[inside], calibrator(logits[inside]))
    np.testing.assert_array_equal(found.f1, sample_f1(found.decided, truth))
    whole = fit_calibration(calibration, logits, truth, labels)
    assert found.calibrator.to_json() == whole.to_json()
    assert found.rule.to_json() == fit_rule(decision, whole(logits), truth, labels).to_json()
    means = resampled_means(found.f1[:, None], resamples=1000, seed=4, groups=groups)[:, 0]
    assert found.interval == percentile_interval(means, 0.95)
    assert found.interval.low < found.mean < found.interval.high
    said = json.loads(json.dumps(found.to_json()))
    assert (said["n"], said["folds"], said["f1"]) == (90, 3, found.mean)


def test_the_seed_decides() -> None:
    logits, truth, labels = predictions(40)
    one, same, other = (
        cross_fit(Calibration(), Decision(), logits, truth, labels, seed=seed).folds.tolist()
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_training_truth_reaches_the_rule() -> None:
    logits, truth, labels = predictions(30)
    train = np.ones((5, len(labels)), dtype=bool)
    found = cross_fit(Calibration(), Decision("heuristic"), logits, truth, labels, train_truth=train)
    assert found.rule.to_json()["fitted"]["thresholds"] == [0.5] * len(labels)


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_no_images(columns: int) -> None:
    nothing = np.zeros((0, columns), dtype=np.float32)
    found = cross_fit(Calibration(), Decision(), nothing, nothing.astype(bool), NAMES[:columns])
    assert found.decided.shape == (0, columns)
    assert math.isnan(found.mean)
    assert math.isnan(found.interval.low)


@pytest.mark.parametrize("columns", [0, 1])
def test_few_images_and_labels(columns: int) -> None:
    logits = np.zeros((3, columns))
    found = cross_fit(Calibration(), Decision(), logits, np.zeros((3, columns), bool), NAMES[:columns])
    assert len(found.f1) == 3


def test_folds_are_balanced_and_keep_groups() -> None:
    groups = ["large"] * 10 + [f"small {number}" for number in range(10)]
    folds = fold_of_each(20, groups, 2, seed=0)
    assert np.bincount(folds).tolist() == [10, 10]
    assert len(set(folds[:10].tolist())) == 1


@pytest.mark.parametrize(
    ("images", "groups", "folds", "said"),
    [
        (5, None, 1, "folds = 1"),
        (5, ["a"], 2, "1 group came for 5 images"),
        (5, ["a"] * 5, 2, "All images are of one group"),
        (1, None, 2, "All images are of one group"),
    ],
)
def test_what_cannot_be_held_out(images: int, groups: Any, folds: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        fold_of_each(images, groups, folds, seed=0)
