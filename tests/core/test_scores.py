"""Scores, their means and their signatures."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import VERSION, Run, Score, Task, UsageError, mean_in_order, signature


def score(value: float, mark: str) -> Score:
    return Score("f1", value, 2, mark, ("a", "b"), (value, value))


def test_the_difference_of_two_scores_under_one_signature_is_that_of_their_values() -> None:
    mark = signature("f1", edition="2025")
    assert score(0.75, mark).difference(score(0.5, mark)) == 0.25


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (signature("f1", edition="2025"), signature("f1", edition="2023")),
        (signature("f1", edition="2025"), signature("f1_manual", edition="2025")),
        (signature("f1", edition="2025", empty="skip"), signature("f1", edition="2025", empty="one")),
    ],
    ids=["another edition", "another metric", "another switch"],
)
def test_scores_under_unequal_signatures_have_no_difference(one: str, other: str) -> None:
    with pytest.raises(UsageError, match="measure different things") as caught:
        score(0.75, one).difference(score(0.5, other))
    assert one in str(caught.value)
    assert other in str(caught.value)


def test_a_score_as_json_has_the_four_keys_of_the_interface_and_no_per_image_values() -> None:
    assert score(1 / 3, "f1|x").to_json() == {"name": "f1", "value": 1 / 3, "n": 2, "signature": "f1|x"}


def test_a_signature_holds_metric_parameters_in_order_and_version() -> None:
    mark = signature("f1", edition="2025", profile="official", cuis="all", empty=1)
    assert mark == f"f1|edition:2025|profile:official|cuis:all|empty:1|radcap:{VERSION}"


def test_the_mean_is_formed_by_one_addition_after_the_other() -> None:
    tenths = [0.1] * 10
    assert mean_in_order(tenths) == 0.9999999999999999 / 10
    assert math.fsum(tenths) / 10 == 0.1  # what an exact sum would give: another last digit
    assert mean_in_order(tenths) != math.fsum(tenths) / 10


def test_the_order_of_the_values_decides_the_last_digit() -> None:
    assert mean_in_order([1e16, 1.0, 1.0, -1e16]) == 0.0
    assert mean_in_order([1.0, 1.0, 1e16, -1e16]) == 0.5


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1))
def test_the_mean_equals_the_loop_of_the_evaluators(values: list[float]) -> None:
    current_score = 0.0
    for value in values:
        current_score += value
    assert mean_in_order(iter(values)) == current_score / len(values)


def test_a_run_is_as_long_as_its_images_are_many() -> None:
    assert len(Run(Task.CONCEPTS, {"a": "C1", "b": None})) == 2
