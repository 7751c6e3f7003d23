"""Axes: round ticks, every value inside, no empty range."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.report.axis import axis_over, drawable, rank_axis

VALUES = st.lists(
    st.one_of(
        st.floats(-1e9, 1e9), st.floats(0, 1), st.sampled_from([0.0, -0.0, 0.57, 0.5700001, 1e-300, 1e9])
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.5712, 0.5891], ["0.570", "0.575", "0.580", "0.585", "0.590"]),
        ([0.57, 0.59], ["0.570", "0.575", "0.580", "0.585", "0.590"]),
        ([-0.5, 0.5], ["-0.6", "-0.4", "-0.2", "0.0", "0.2", "0.4", "0.6"]),
        ([0, 1_200], ["0", "500", "1,000", "1,500"]),
        ([], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([0.5, 0.5], ["0.49990", "0.49995", "0.50000", "0.50005", "0.50010"]),
    ],
    ids=["inside", "on ticks", "around zero", "counts", "no value", "one value"],
)
def test_ticks_are_round(values: list[float], labels: list[str]) -> None:
    axis = axis_over(values)
    assert [axis.label(tick) for tick in axis.ticks] == labels


@settings(max_examples=300, deadline=None)
@given(VALUES, st.integers(3, 8))
def test_every_value_has_its_place_and_ticks_are_few_and_told_apart(values: list[float], wanted: int) -> None:
    axis = axis_over(values, wanted)
    assert axis.high > axis.low
    for value in values:
        share = axis.share(value)
        assert 0 <= share <= 1
        slack = 1e-6 * (axis.high - axis.low)
        assert math.isclose(axis.low + share * (axis.high - axis.low), value, abs_tol=slack)
    assert 3 <= len(axis.ticks) <= wanted + 3
    assert len({axis.label(tick) for tick in axis.ticks}) == len(axis.ticks)
    assert not any(
        axis.label(tick).lstrip("-").strip("0.,") == "" for tick in axis.ticks if abs(tick) >= axis.step
    )
    assert str(axis.step).strip("0.").split("e")[0].rstrip(".0")[0] in "125"


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_places_keep_the_order_of_values(values: list[float]) -> None:
    axis = axis_over(values)
    shares = [axis.share(value) for value in sorted(values)]
    assert shares == sorted(shares)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
def test_what_has_no_place_is_not_drawable(value: float) -> None:
    assert not drawable(0.5, value)


def test_scores_are_drawable() -> None:
    assert drawable(0.0, -1.0, 100.0)


@pytest.mark.parametrize(
    ("n", "labels"),
    [
        (1, ["1"]),
        (4, ["1", "2", "3", "4"]),
        (12, [str(rank) for rank in range(1, 13)]),
        (13, ["1", "2", "4", "6", "8", "10", "12"]),
        (60, ["1", "5", "10", "15", "20", "25", "30", "35", "40", "45", "50", "55", "60"]),
    ],
)
def test_ranks_are_labelled_from_one(n: int, labels: list[str]) -> None:
    axis = rank_axis(n)
    assert [axis.label(tick) for tick in axis.ticks] == labels
    assert 0 < axis.share(1) <= axis.share(n) < 1
