"""One threshold for each frequency group: against a search written with loops."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from decision_samples import predictions
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.detection.decisions import Decision, fit_rule, rule_from_json, sample_f1
from radcap.detection.decisions.per_head import frequency_groups
from radcap.detection.decisions.sweep import best_threshold
from radcap.vision.heads.grouped import groups_by_share


def f1(probabilities: Any, truth: Any, thresholds: Any) -> float:
    return round(float(sample_f1(probabilities >= thresholds, truth).mean()), 12)


def by_loops(probabilities: Any, truth: Any, groups: Any, step: float) -> Any:
    """The same coordinate search, with F1 from the beginning for every threshold."""
    values = np.full(truth.shape[1], best_threshold(probabilities, truth))
    for _ in range(5):
        for columns in groups:
            tried = [2.0, *[round(n * step, 12) for n in range(round(1 / step), 0, -1)]]
            for cut in tried:
                other = values.copy()
                other[columns] = cut
                if f1(probabilities, truth, other) > f1(probabilities, truth, values):
                    values = other
    return values


@pytest.mark.parametrize("heads", [1, 2, 3, 50])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_as_good_as_a_search_by_loops(heads: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    truth = draw.random((30, 6)) < np.array([0.6, 0.1, 0.3, 0.5, 0.2, 0.05])
    probabilities = np.clip(draw.normal(np.where(truth, 0.5, 0.3), 0.2), 0, 1).round(2)
    config = Decision("per-head", heads=heads, step=0.1)
    rule = fit_rule(config, probabilities, truth, tuple("ABCDEF"))
    thresholds = np.array(rule.to_json()["fitted"]["thresholds"])
    groups = frequency_groups(truth.sum(axis=0), heads)
    wanted = by_loops(probabilities, truth, groups, 0.1)
    assert f1(probabilities, truth, thresholds) == f1(probabilities, truth, wanted)
    assert all(len(set(thresholds[columns])) == 1 for columns in groups)
    start = np.full(6, best_threshold(probabilities, truth))
    assert f1(probabilities, truth, thresholds) >= f1(probabilities, truth, start)


def test_groups_are_by_frequency_and_each_label_is_in_one() -> None:
    groups = frequency_groups(np.array([5, 9, 1, 9, 0]), 2)
    assert [one.tolist() for one in groups] == [[1, 3, 0], [2, 4]]
    assert [one.tolist() for one in frequency_groups(np.array([1, 2]), 4)] == [[1], [0]]
    counts = np.random.default_rng(0).integers(0, 50, 30)
    for heads in (1, 4, 7):
        parted = groups_by_share(torch.from_numpy(counts / 50), heads)  # the heads of a network
        for place, columns in enumerate(frequency_groups(counts, heads)):
            assert columns.tolist() == sorted(columns.tolist(), key=lambda one: (-counts[one], one))
            assert set(columns.tolist()) == set(torch.nonzero(parted == place).flatten().tolist())


def test_groups_are_those_of_training_where_it_is_known() -> None:
    draw = np.random.default_rng(8)
    truth = draw.random((40, 4)) < np.array([0.7, 0.6, 0.2, 0.1])
    probabilities = np.clip(draw.normal(np.where(truth, 0.6, 0.3), 0.2), 0, 1)
    config, labels = Decision("per-head", heads=2, step=0.1), tuple("ABCD")
    train = np.arange(10)[:, None] < np.array([9, 1, 8, 2])
    known = ((train, [[0, 2], [3, 1]]), (train[:0], [[0, 1], [2, 3]]))  # without an image: as they stand
    for given_truth, groups in known:
        rule = fit_rule(config, probabilities, truth, labels, train_truth=given_truth)
        thresholds = np.array(rule.to_json()["fitted"]["thresholds"])
        assert all(len(set(thresholds[columns])) == 1 for columns in groups)
        wanted = by_loops(probabilities, truth, groups, 0.1)
        assert f1(probabilities, truth, thresholds) == f1(probabilities, truth, wanted)


@given(st.integers(0, 10**6))
def test_every_probability_may_be_a_threshold(seed: int) -> None:
    draw = np.random.default_rng(seed)
    truth = draw.random((12, 4)) < 0.4
    probabilities = draw.random((12, 4)).astype(np.float32)
    groups = frequency_groups(truth.sum(axis=0), 2)
    rule = fit_rule(Decision("per-head", heads=2, step=0), probabilities, truth, tuple("ABCD"))
    thresholds = np.array(rule.to_json()["fitted"]["thresholds"])
    reached = f1(probabilities, truth, thresholds)
    for columns in groups:  # no single move helps
        for cut in (2.0, *probabilities.astype(np.float64).ravel().tolist()):
            other = thresholds.copy()
            other[columns] = cut
            assert f1(probabilities, truth, other) <= reached + 1e-9


def test_it_pays_where_rare_labels_are_given_too_low() -> None:
    logits, truth, labels = predictions(400, extra=10)
    probabilities = 1 / (1 + np.exp(-logits))
    shares = truth.mean(axis=0)
    bent = np.where(shares < np.median(shares), probabilities / 4, probabilities)
    rule = fit_rule(Decision("per-head", heads=2), bent, truth, labels)
    best = fit_rule(Decision("global"), bent, truth, labels)
    assert sample_f1(rule(bent), truth).mean() > sample_f1(best(bent), truth).mean()


def test_rules_of_earlier_versions_have_no_heads() -> None:
    logits, truth, labels = predictions(20)
    told = fit_rule(Decision("global"), 1 / (1 + np.exp(-logits)), truth, labels).to_json()
    del told["decision"]["heads"]
    assert rule_from_json(json.loads(json.dumps(told))).config == Decision("global")
    with pytest.raises(UsageError, match="heads = 0 is not from 1"):
        Decision(heads=0)
