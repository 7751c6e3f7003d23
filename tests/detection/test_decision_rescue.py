"""The rescue of images with too few labels: its bound, what it adds, its JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from math import ceil, inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import InputError, UsageError
from radcap.detection.calibration import Calibration
from radcap.detection.decisions import CountRescue, Decision, Rescue, cross_fit, rescue_from_json, sample_f1
from radcap.detection.decisions.rescue import cross_rescue, fit_rescue
from radcap.detection.models import ModelFolder
from radcap.detection.models.answers import Answers, rescued
from radcap.zoo import find


def truth_of(counts: Any, labels: int = 12) -> Any:
    """Images with so many labels each."""
    return np.arange(labels) < np.asarray(counts)[:, None]


@given(
    st.lists(st.tuples(st.floats(-3, 12), st.integers(0, 12)), min_size=1, max_size=60),
    st.sampled_from([0.1, 0.5, 0.8, 0.9, 0.95]),
)
def test_the_margin_is_the_conformal_quantile(pairs: list[tuple[float, int]], coverage: float) -> None:
    counts, true = (np.array(one) for one in zip(*pairs, strict=True))
    margin = fit_rescue(Rescue(coverage), counts, truth_of(true)).margin
    level = ceil(round((len(pairs) + 1) * coverage, 9)) / len(pairs)
    if level > 1:
        assert margin == inf
    else:
        assert margin == np.quantile(counts - true, level, method="inverted_cdf")


@pytest.mark.parametrize("coverage", [0.6, 0.9])
def test_the_bound_holds_for_images_like_the_held_out_ones(coverage: float) -> None:
    draw = np.random.default_rng(1)
    held: list[float] = []
    tight: list[float] = []
    for _ in range(400):
        true = draw.poisson(3.4, 129)
        counts = true + draw.standard_t(3, 129) + 0.3 * true  # wrong by much, and to one side
        rescue = fit_rescue(Rescue(coverage), counts[:29], truth_of(true[:29], 40))
        held.append(float((true[29:] >= rescue.least(counts[29:])).mean()))
        tight.append(float((true[29:] >= counts[29:] - rescue.margin).mean()))
    noise = 4 * np.std(held) / len(held) ** 0.5
    assert np.mean(held) > coverage - noise
    assert np.mean(held) < coverage + 2 / 30 + noise  # nor is the bound slack
    assert held == tight  # a whole number reaches the next whole number with the bound


@pytest.mark.parametrize("coverage", [0.2, 0.5, 0.75])
def test_over_all_orders_the_bound_holds_as_often_as_was_asked_and_no_more(coverage: float) -> None:
    true = np.array([0, 1, 1, 2, 4, 3, 5, 2])
    counts = true + np.array([0.31, -1.27, 2.06, 0.84, -0.55, 1.43, -2.9, 0.12])  # no two alike
    reached = [
        true[one]
        >= fit_rescue(Rescue(coverage), np.delete(counts, one), truth_of(np.delete(true, one))).least(
            counts[one : one + 1]
        )[0]
        for one in range(len(true))  # each in turn is the image that was not held out
    ]
    assert np.mean(reached) == ceil(len(true) * coverage) / len(true)


def test_counts_with_an_error_of_rounding_ask_for_no_label_more() -> None:
    rescue = CountRescue(Rescue(), 0.1)
    assert rescue.least(np.array([3.1, 3.1000004, 3.2])).tolist() == [3, 3, 4]


def test_ten_images_and_nine_tenths_take_the_largest() -> None:
    rescue = fit_rescue(Rescue(0.9), np.arange(9.0), truth_of([0] * 9))
    assert rescue.margin == 8  # the 9th of 9
    assert fit_rescue(Rescue(0.9), np.arange(8.0), truth_of([0] * 8)).margin == inf


def by_hand(decided: Any, scores: Any, least: Any) -> Any:
    result = decided.copy()
    for row in range(len(decided)):
        for label in sorted(range(decided.shape[1]), key=lambda one: (-scores[row, one], one)):
            if result[row].sum() < least[row]:
                result[row, label] = True
    return result


@given(st.integers(0, 8), st.integers(0, 6), st.floats(-2, 4), st.integers(0, 10**6))
def test_the_likeliest_are_added_until_there_are_enough(
    images: int, labels: int, margin: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    decided, scores = draw.random((images, labels)) < 0.3, draw.random((images, labels)).round(1)
    counts = draw.normal(2, 3, images)
    rescue = CountRescue(Rescue(), margin)
    found = rescue(decided, scores, counts)
    np.testing.assert_array_equal(found, by_hand(decided, scores, rescue.least(counts)))
    assert (found >= decided).all()  # nothing is taken away
    assert (rescue(decided, scores, counts + 1) >= found).all()  # a higher count adds more
    assert (CountRescue(Rescue(), margin + 1)(decided, scores, counts) <= found).all()
    np.testing.assert_array_equal(CountRescue(Rescue(), inf)(decided, scores, counts), decided)


def test_counts_that_are_no_number_rescue_nothing() -> None:
    assert CountRescue(Rescue(), 0.5).least(np.array([nan, inf, -inf, 3.4])).tolist() == [0, 10**6, 0, 3]
    for wrong in (np.array([1.0, nan]), np.zeros((2, 1)), np.zeros(3)):
        with pytest.raises(UsageError, match="Give each image one finite number"):
            fit_rescue(Rescue(), wrong, truth_of([1, 2]))


def test_every_image_is_rescued_by_a_margin_that_did_not_see_it() -> None:
    draw = np.random.default_rng(3)
    true = draw.integers(0, 6, 60)
    truth, counts, folds = truth_of(true), true + draw.normal(size=60), np.arange(60) % 3
    decided, scores = truth & (draw.random(truth.shape) < 0.5), draw.random(truth.shape)
    config = Rescue(0.7)
    found = cross_rescue(config, decided, scores, counts, truth, folds)
    for fold in range(3):
        inside = folds == fold
        margin = fit_rescue(config, counts[~inside], truth[~inside]).margin
        wanted = by_hand(decided, scores, np.maximum(np.ceil(counts - margin - 1e-6), 0))
        np.testing.assert_array_equal(found[inside], wanted[inside])
    changed = np.where(folds == 0, 100.0, counts)  # what is inside of a fold does not move its own margin
    other = cross_rescue(config, decided, scores, changed, truth, folds)
    assert (other[folds == 0]).all()


def test_figures_follow_what_was_changed() -> None:
    draw = np.random.default_rng(4)
    truth = draw.random((40, 3)) < 0.4
    logits = np.where(truth, 1.0, -1.0) + draw.normal(size=truth.shape)
    groups = [str(row // 2) for row in range(40)]
    crossed = cross_fit(Calibration(), Decision("fixed"), logits, truth, ("A", "B", "C"), groups, seed=5)
    assert crossed.redecided(crossed.decided, truth, groups, seed=5).interval == crossed.interval
    again = crossed.redecided(truth, truth, groups)
    assert (again.mean, again.interval.low) == (1.0, 1.0)
    np.testing.assert_array_equal(again.f1, sample_f1(truth, truth))
    assert again.probabilities is crossed.probabilities


@pytest.mark.parametrize("margin", [-1.5, 0.0, inf])
def test_json_gives_the_same(margin: float) -> None:
    rescue = CountRescue(Rescue(0.8), margin)
    assert rescue_from_json(json.loads(json.dumps(rescue.to_json()))) == rescue


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3, "it is a int"),
        ({"margin": 1}, "'coverage' is missing"),
        ({"coverage": 0.5}, "'margin' is missing"),
        ({"coverage": 0.5, "margin": "x"}, "'margin' is 'x', not a number, or null"),
        ({"coverage": 0.5, "margin": True}, "'margin' is True"),
        ({"coverage": 0.5, "margin": nan}, "'margin' is nan"),
        ({"coverage": 0.5, "margin": 1, "more": 2}, "'more' is not known"),
        ({"coverage": 2, "margin": 1}, "'coverage' is 2"),
        ({"coverage": 0, "margin": 1}, "coverage is 0.0. Give a number between"),
    ],
)
def test_what_is_no_rescue_is_refused(value: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rescue_from_json(value)


def test_answers_without_count_or_scores_stay_as_they_are() -> None:
    answers = Answers(("a",), ("A", "B"), np.array([[False, False]]))
    counts, rescue = np.array([2.5], np.float32), CountRescue(Rescue(), 0.0)
    for one in (answers, replace(answers, counts=counts)):
        assert rescued(one, rescue) is one  # no scores
        assert rescued(one, None, np.ones((1, 2))) is one
    assert rescued(replace(answers, counts=counts), rescue, np.ones((1, 2))).decided.all()
    likely = replace(answers, counts=counts - 1.5, probabilities=np.array([[0.2, 0.3]]))
    assert rescued(likely, rescue).decided.tolist() == [[False, True]]


def test_folders_keep_a_rescue_and_need_none(tmp_path: Path) -> None:
    folder, rescue = ModelFolder(tmp_path), CountRescue(Rescue(0.8), 1.25)
    folder.write_decision(None, None, rescue)
    assert folder.decision() == (None, None)
    assert folder.rescue() == rescue
    folder.write_decision(None, None)
    assert "rescue" not in (tmp_path / "decision.json").read_text()
    assert folder.rescue() is None
    shipped = ModelFolder(find("zoo:concepts"))
    assert shipped.rescue() is None
    assert shipped.decision()[1] is not None
