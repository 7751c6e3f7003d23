"""Calibrators: groups, shrinkage, odd shapes, JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from decision_samples import CT, NAMES, predictions

from radcap.core import InputError, UsageError
from radcap.detection.calibration import Calibration, arrays, brier, calibrator_from_json, fit_calibration
from radcap.detection.calibration.calibrator import Curves, Lines
from radcap.detection.calibration.config import GROUPS, METHODS
from radcap.detection.calibration.fields import Fields
from radcap.detection.calibration.isotonic import fit_isotonic
from radcap.detection.calibration.kinds import kinds
from radcap.detection.calibration.platt import fit_platt
from radcap.detection.calibration.samples import sample_of

EVERY = [Calibration(method, groups) for method in METHODS for groups in GROUPS]


def lines(config: Calibration, logits: Any, truth: Any, labels: tuple[str, ...]) -> Lines:
    fitted = fit_calibration(config, logits, truth, labels).fitted
    assert isinstance(fitted, Lines)
    return fitted


def curves(config: Calibration, logits: Any, truth: Any, labels: tuple[str, ...]) -> Curves:
    fitted = fit_calibration(config, logits, truth, labels).fitted
    assert isinstance(fitted, Curves)
    return fitted


@pytest.mark.parametrize("config", EVERY)
def test_over_confident_logits_become_honest(config: Calibration) -> None:
    logits, truth, labels = predictions(1500)
    calibrator = fit_calibration(config, 3 * logits[:1000], truth[:1000], labels)
    before, after = 1 / (1 + np.exp(-3 * logits[1000:])), calibrator(3 * logits[1000:])
    assert after.dtype == np.float32
    assert after.shape == logits[1000:].shape
    if config.method == "none":
        np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-6)
    else:
        assert brier(after, truth[1000:]) < brier(before, truth[1000:]) - 0.005


@pytest.mark.parametrize("config", EVERY)
def test_json_gives_the_same_answers(config: Calibration) -> None:
    logits, truth, labels = predictions(300)
    calibrator = fit_calibration(config, logits, truth, labels)
    again = calibrator_from_json(json.loads(json.dumps(calibrator.to_json())))
    assert (again.config, again.labels) == (config, labels)
    np.testing.assert_array_equal(again(logits), calibrator(logits))


@pytest.mark.parametrize("config", EVERY)
@pytest.mark.parametrize(("images", "columns"), [(0, 0), (0, 3), (4, 0), (1, 1), (4, 6)])
@pytest.mark.parametrize("there", [False, True])
def test_nothing_to_learn_from(config: Calibration, images: int, columns: int, there: bool) -> None:
    """No image, no label, no positive, no negative: logits stay as they are."""
    logits = np.linspace(-3, 3, images * columns).reshape(images, columns)
    truth = np.full(logits.shape, there)
    calibrator = fit_calibration(config, logits, truth, NAMES[:columns])
    np.testing.assert_allclose(calibrator(logits), 1 / (1 + np.exp(-logits)), atol=1e-3)


def test_a_kind_without_positives_takes_the_fit_of_all() -> None:
    logits, truth, labels = predictions(300)
    truth[:, :8] = False  # no modality was ever true
    found = lines(Calibration(), logits, truth, labels)
    whole = fit_platt(sample_of(logits, truth, np.arange(len(labels))))
    assert (found.slopes[0], found.offsets[0]) == pytest.approx(whole)
    assert found.slopes[8] != found.slopes[0]


def test_a_label_is_drawn_towards_its_kind() -> None:
    logits, truth, labels = predictions(400)
    kind = lines(Calibration(), logits, truth, labels)
    own = lines(Calibration(groups="label", shrinkage=0.0), logits, truth, labels)
    half = lines(Calibration(groups="label", shrinkage=30.0), logits, truth, labels)
    positives = truth.sum(axis=0)
    weights = positives / (positives + 30)
    np.testing.assert_allclose(half.slopes, weights * own.slopes + (1 - weights) * kind.slopes)
    np.testing.assert_allclose(half.offsets, weights * own.offsets + (1 - weights) * kind.offsets)
    for column in range(4):
        fitted = fit_platt(sample_of(logits, truth, np.array([column])))
        assert (own.slopes[column], own.offsets[column]) == pytest.approx(fitted)


def test_a_label_that_is_always_there_keeps_its_kinds_fit() -> None:
    logits, truth, labels = predictions(60)
    truth[:, 3] = True
    kind = lines(Calibration(), logits, truth, labels)
    own = lines(Calibration(groups="label"), logits, truth, labels)
    assert own.slopes[3] == kind.slopes[3]


def test_a_curve_of_its_own_needs_positives() -> None:
    logits, truth, labels = predictions(400)
    truth[:, 20] = False
    truth[:9, 20] = True  # nine are too few
    found = curves(Calibration("isotonic", "label", 40.0), logits, truth, labels)
    assert found.own[20] == found.group[20]
    column = 17
    assert found.own[column] != found.group[column]
    weight = truth[:, column].sum() / (truth[:, column].sum() + 40)
    own = fit_isotonic(sample_of(logits, truth, np.array([column])))(logits[:, column])
    kind = fit_isotonic(sample_of(logits, truth, kinds(labels)["rest"]))(logits[:, column])
    blended = found.apply(logits)[:, column]
    np.testing.assert_allclose(blended, weight * own + (1 - weight) * kind, atol=1e-6)


def test_kinds_and_groups() -> None:
    assert {
        kind: columns.tolist() for kind, columns in kinds(("X", CT, "C0817096", "C0205129", "Y")).items()
    } == {
        "rest": [0, 4],
        "modality": [1],
        "region": [2],
        "direction": [3],
    }
    logits, truth, labels = predictions(200)
    assert len(np.unique(lines(Calibration(groups="all"), logits, truth, labels).slopes)) == 1
    assert len(np.unique(lines(Calibration(groups="kind"), logits, truth, labels).slopes)) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "plat"}, "no calibration method 'plat'. Nearest is 'platt'"),
        ({"groups": "labels"}, "Nearest is 'label'"),
        ({"shrinkage": -1.0}, "shrinkage = -1.0"),
        ({"shrinkage": float("nan")}, "shrinkage = nan"),
    ],
)
def test_a_wrong_setting_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Calibration(**given)


@pytest.mark.parametrize(
    ("logits", "truth", "labels", "said"),
    [
        (np.array([[0.0, np.nan]]), np.ones((1, 2), bool), NAMES[:2], "nan in row 0, column 1"),
        (np.array([[0.0], [np.inf]]), np.ones((2, 1), bool), NAMES[:1], "inf in row 1, column 0"),
        (np.array([[0.0], [-np.inf]]), np.ones((2, 1), bool), NAMES[:1], "diverged"),
        (np.zeros((2, 1)), np.ones((3, 1), bool), NAMES[:1], "3 rows, predictions have 2"),
        (np.zeros((2, 1)), np.ones((2, 1)), NAMES[:1], "float64. Give it as bool"),
        (np.zeros((2, 1)), np.ones((2, 2), bool), NAMES[:1], "shape 2 x 2. Give images x 1 labels"),
        (np.zeros(2), np.ones((2, 1), bool), NAMES[:1], "shape 2. Give"),
        (np.array(1.0), np.ones((2, 1), bool), NAMES[:1], "shape one number"),
        (np.zeros((2, 1), np.int64), np.ones((2, 1), bool), NAMES[:1], "int64. Give them as float32"),
        (np.zeros((2, 2)), np.ones((2, 2), bool), (CT, CT), f"Labels repeat: {CT}"),
    ],
)
def test_arrays_that_cannot_be_used(logits: Any, truth: Any, labels: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        fit_calibration(Calibration(), logits, truth, labels)


def test_logits_are_checked_when_asked() -> None:
    logits, truth, labels = predictions(20)
    calibrator = fit_calibration(Calibration(), logits, truth, labels)
    with pytest.raises(UsageError, match="Give images x 26 labels"):
        calibrator(logits[:, :3])
    logits[3, 4] = np.nan
    with pytest.raises(UsageError, match="row 3, column 4"):
        calibrator(logits)


@pytest.mark.parametrize("workers", [1, 3])
def test_chunks_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    monkeypatch.setattr(arrays, "default_workers", lambda: workers)
    rows = np.arange(10)
    parts = arrays.in_row_chunks(lambda chunk: rows[chunk].tolist(), 10, 2, cells=6)
    assert parts == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    assert arrays.in_row_chunks(lambda chunk: chunk, 0, 5) == []
    assert arrays.row_chunks(2, 10, cells=1) == [slice(0, 1), slice(1, 2)]


LINES = {
    "method": "platt",
    "groups": "all",
    "shrinkage": 1.0,
    "labels": ["A"],
    "slopes": [1.0],
    "offsets": [0],
}
CURVE = {"logits": [0.0, 1.0], "probabilities": [0.1, 0.9]}
CURVES = {
    **{"method": "isotonic", "groups": "kind", "shrinkage": 1, "labels": ["A"]},
    **{"curves": [CURVE], "own": [0], "group": [0], "weights": [0.0]},
}


def curve(**changed: object) -> dict[str, object]:
    return {**CURVES, "curves": [{**CURVE, **changed}]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "it is null, not an object"),
        ([], "it is a list, not an object"),
        ({}, "'method' is missing; 'groups' is missing"),
        ({**LINES, "method": "magic"}, "'method' is 'magic', not one of none"),
        ({**LINES, "groups": 4}, "'groups' is 4"),
        ({**LINES, "shrinkage": -1}, "'shrinkage' is -1, not a number from 0"),
        ({**LINES, "shrinkage": True}, "'shrinkage' is True"),
        ({**LINES, "labels": "A"}, "'labels' is 'A', not a list of names"),
        ({**LINES, "labels": ["A", "A"]}, "each once"),
        ({**LINES, "labels": [1]}, "not a list of names"),
        ({**LINES, "slopes": [1.0, 2.0]}, "not a list of 1 numbers"),
        ({**LINES, "slopes": [float("nan")]}, "'slopes' is"),
        ({**LINES, "slopes": None}, "'slopes' is None, not a list"),
        ({**LINES, "slopes": ["x"], "offsets": [{}]}, "'slopes' is .* 'offsets' is"),
        ({**LINES, "more": 1}, "'more' is not known"),
        ({**CURVES, "curves": []}, "'curves' has none"),
        ({**CURVES, "curves": [3]}, "curve 0: it is a int"),
        ({**CURVES, "own": [1]}, "'own' is"),
        ({**CURVES, "own": [0.5], "curves": [CURVE, CURVE]}, "whole numbers"),
        ({**CURVES, "weights": [2]}, "'weights' is"),
        (curve(logits=[1.0, 1.0]), "'logits' do not ascend"),
        (curve(logits=[], probabilities=[]), "do not ascend"),
        (curve(probabilities=[0.9, 0.1]), "'probabilities' fall"),
        (curve(probabilities=[0.9]), "curve 0: 'probabilities' is"),
        (curve(logits=["a", "b"]), "curve 0: 'logits' is"),
        (curve(more=1), "curve 0: 'more' is not known"),
    ],
)
def test_malformed_json_is_refused(value: object, said: str) -> None:
    calibrator_from_json(LINES)
    calibrator_from_json(CURVES)
    with pytest.raises(InputError, match=said) as refused:
        calibrator_from_json(value)
    assert "This calibrator cannot be used" in str(refused.value)


def test_flags_are_true_or_false() -> None:
    fields = Fields({"yes": True, "no": 0}, "value")
    assert (fields.flag("yes"), fields.flag("no")) == (True, False)
    assert fields.problems == ["'no' is 0, not true or false"]
