"""Every rule: odd shapes, constraints, JSON, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from decision_samples import CHEST, CT, MR, predictions

from radcap.core import InputError, UsageError
from radcap.detection.decisions import RULES, Decision, fit_rule, rule_from_json
from radcap.detection.decisions.tuning import spread_rows, tuned

SMALL: dict[str, Any] = {"candidates": 6, "sets": 10, "fit_images": 30}


def probabilities_of(images: int) -> tuple[Any, Any, tuple[str, ...]]:
    logits, truth, labels = predictions(images, extra=4)
    return 1 / (1 + np.exp(-logits)), truth, labels


@pytest.mark.parametrize("rule", RULES.names)
def test_json_gives_the_same_decisions(rule: str) -> None:
    probabilities, truth, labels = probabilities_of(60)
    fitted = fit_rule(Decision(rule, **SMALL), probabilities, truth, labels)
    again = rule_from_json(json.loads(json.dumps(fitted.to_json())))
    assert (again.config, again.labels) == (fitted.config, labels)
    decided = fitted(probabilities)
    assert decided.dtype == np.bool_
    np.testing.assert_array_equal(again(probabilities), decided)
    assert json.dumps(again.to_json()) == json.dumps(fitted.to_json())


@pytest.mark.parametrize("rule", RULES.names)
@pytest.mark.parametrize(("images", "columns"), [(0, 0), (0, 3), (3, 0), (1, 1), (4, 3)])
@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("value", [0.0, 0.3, 1.0])
def test_odd_shapes(rule: str, images: int, columns: int, there: bool, value: float) -> None:
    """No image, one label, nothing or everything true: fitted, asked and read back."""
    labels = (CT, CHEST, "C0000001")[:columns]
    probabilities = np.full((images, columns), value, dtype=np.float32)
    truth = np.full((images, columns), there)
    config = Decision(rule, exactly_one="modality", never_empty=True, **SMALL)
    fitted = fit_rule(config, probabilities, truth, labels)
    for shape in ((2, columns), (0, columns)):
        decided = fitted(np.full(shape, value, dtype=np.float32))
        assert decided.shape == shape
        assert decided[:, :1].all()  # CT is the only modality
    again = rule_from_json(json.loads(json.dumps(fitted.to_json())))
    assert again.labels == labels


@pytest.mark.parametrize("rule", ["fixed", "global", "expected-f1", "gfm", "label-sets", "modality-mixture"])
def test_nothing_true_means_nothing_decided(rule: str) -> None:
    probabilities, truth, labels = probabilities_of(40)
    fitted = fit_rule(Decision(rule, **SMALL), probabilities * 0.01, truth & False, labels)
    assert not fitted(probabilities * 0.01).any()


def test_exactly_one_modality() -> None:
    labels = (CT, "C0000001", MR)
    probabilities = np.array([[0.9, 0.8, 0.7], [0.1, 0.1, 0.2], [0.3, 0.9, 0.3]])
    truth = np.zeros((3, 3), bool)
    rule = fit_rule(Decision("fixed", exactly_one="modality"), probabilities, truth, labels)
    assert rule(probabilities).tolist() == [[True, True, False], [False, False, True], [True, True, False]]
    with pytest.raises(UsageError, match="no label is a modality"):
        fit_rule(Decision("fixed", exactly_one="modality"), probabilities, truth, ("A", "B", "C"))


def test_never_empty() -> None:
    probabilities = np.array([[0.1, 0.2], [0.6, 0.7], [0.0, 0.0]])
    rule = fit_rule(Decision("fixed", never_empty=True), probabilities, np.zeros((3, 2), bool), ("A", "B"))
    assert rule(probabilities).tolist() == [[False, True], [True, True], [True, False]]


def test_train_truth_is_checked() -> None:
    probabilities, truth, labels = probabilities_of(10)
    with pytest.raises(UsageError, match="shape 10 x 3"):
        fit_rule(Decision(), probabilities, truth, labels, train_truth=truth[:, :3])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"threshold": 1.5}, "threshold = 1.5 is not from 0 to 1"),
        ({"share": float("nan"), "k": -1}, "k = -1 is not .*; share = nan"),
        ({"candidates": 0}, "candidates = 0"),
        ({"exactly_one": "region"}, "'region' is neither"),
    ],
)
def test_a_wrong_setting_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Decision(**given)


def test_an_unknown_rule_is_refused() -> None:
    probabilities, truth, labels = probabilities_of(3)
    with pytest.raises(UsageError, match=r"no rule 'expected-f2'\. Nearest is 'expected-f1'"):
        fit_rule(Decision("expected-f2"), probabilities, truth, labels)


@pytest.mark.parametrize("value", [-0.5, 1.5, float("nan"), float("inf")])
def test_what_is_no_probability_is_refused(value: float) -> None:
    probabilities, truth, labels = probabilities_of(3)
    rule = fit_rule(Decision(), probabilities, truth, labels)
    probabilities[1, 2] = value
    with pytest.raises(UsageError, match="row 1, column 2"):
        rule(probabilities)
    with pytest.raises(UsageError, match="Give images x 20 labels"):
        rule(probabilities[:, :4])


def json_of(rule: str) -> dict[str, Any]:
    probabilities, truth, labels = probabilities_of(20)
    return fit_rule(Decision(rule, **SMALL), probabilities, truth, labels).to_json()


@pytest.mark.parametrize(
    ("rule", "change", "said"),
    [
        ("fixed", {"labels": ["A", "A"]}, "each once"),
        ("fixed", {"labels": None}, "'labels' is None"),
        ("fixed", {"extra": 1}, "'extra' is not known"),
        ("fixed", {"decision": 3}, "This decision cannot be used: it is a int"),
        ("fixed", {"decision": {}}, "'rule' is missing; 'threshold' is missing"),
        ("fixed", {"fitted": []}, "fitted rule 'fixed' cannot be used: it is a list"),
        ("fixed", {"fitted": {}}, "'thresholds' is missing"),
        ("fixed", {"fitted": {"thresholds": [0.5]}}, "not a list of 20 numbers"),
        ("fixed", {"fitted": {"thresholds": [3.0] * 20}}, "from 0 to 2"),
        ("top-k", {"fitted": {"k": 1}}, "'k' is not known"),
        ("gfm", {"fitted": {"ratios": []}}, "none above 0"),
        ("gfm", {"fitted": {"ratios": [-1]}}, "'ratios' is"),
        ("label-sets", {"fitted": {}}, "'share' is missing; .*'sets' is missing"),
        ("modality-mixture", {"fitted": {}}, "'columns' is missing"),
    ],
)
def test_malformed_json_is_refused(rule: str, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rule_from_json({**json_of(rule), **change})


@pytest.mark.parametrize(
    ("rule", "change", "said"),
    [
        ("label-sets", {"sets": [[0, 0]], "counts": [1]}, "set 0 is no list"),
        ("label-sets", {"sets": [[99]], "counts": [1]}, "different columns below 20"),
        ("label-sets", {"sets": ["x"], "counts": [1]}, "set 0 is no list"),
        ("label-sets", {"sets": [[True]], "counts": [1]}, "set 0 is no list"),
        ("label-sets", {"sets": [], "counts": [], "share": 0.5}, "'sets' has none"),
        ("label-sets", {"counts": [0]}, "'counts' is"),
        ("label-sets", {"share": 1.5}, "'share' is 1.5"),
        ("modality-mixture", {"ratios": [[1.0]]}, "no table of 9 x 20"),
        ("modality-mixture", {"ratios": [["x"] * 20] * 9}, "no table of 9 x 20"),
        ("modality-mixture", {"ratios": [[{}] * 20] * 9}, "no table of 9 x 20"),
        ("modality-mixture", {"ratios": [[float("inf")] * 20] * 9}, "what is no number"),
        ("modality-mixture", {"columns": [0.5] * 8}, "whole numbers"),
        ("modality-mixture", {"columns": [99] * 8}, "'columns' is"),
        ("modality-mixture", {"keep_marginals": 1}, "not true or false"),
    ],
)
def test_malformed_fits_are_refused(rule: str, change: dict[str, Any], said: str) -> None:
    value = json_of(rule)
    with pytest.raises(InputError, match=said):
        rule_from_json({**value, "fitted": {**value["fitted"], **change}})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rule": "magic"}, "no rule 'magic'"),
        ({"threshold": 7.0}, "threshold = 7.0"),
        ({"threshold": None}, "'threshold' is None, not a number"),
        ({"threshold": True}, "'threshold' is True, not a number"),
        ({"k": 2.5}, "'k' is 2.5, not a whole number"),
        ({"never_empty": 1}, "'never_empty' is 1, not true or false"),
        ({"colour": 1}, "'colour' is not known"),
    ],
)
def test_malformed_decisions_are_refused(change: dict[str, Any], said: str) -> None:
    value = json_of("fixed")
    with pytest.raises(InputError, match=said):
        rule_from_json({**value, "decision": {**value["decision"], **change}})


def test_whole_numbers_are_numbers() -> None:
    value = json_of("fixed")
    again = rule_from_json({**value, "decision": {**value["decision"], "threshold": 1}})
    assert again.config == replace(Decision("fixed", **SMALL), threshold=1.0)


def test_tuning_keeps_the_first_of_equals() -> None:
    assert tuned({"x": (2.0, 1.0), "y": (0.0, 5.0)}, lambda found: found["y"]) == {"x": 2.0, "y": 5.0}


def test_rows_are_spread() -> None:
    assert spread_rows(10, 4).tolist() == [0, 3, 6, 9]
    assert spread_rows(3, 10).tolist() == [0, 1, 2]
    assert spread_rows(0, 10).tolist() == []
