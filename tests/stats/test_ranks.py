"""Ranks: the highest first, equal values share the best rank, no value has no rank."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from radcap.stats import ranks

FEW = st.sampled_from([0.0, -0.0, 0.25, 0.5725, 0.5726, 1.0])  # so that ties happen


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], []),
        ([0.5], [1]),
        ([0.1, 0.3, 0.2], [3, 1, 2]),
        ([0.5790, 0.5781, 0.5725, 0.5725, 0.5648], [1, 2, 3, 3, 5]),
        ([0.2, 0.2, 0.2], [1, 1, 1]),
        ([0.0, -0.0], [1, 1]),
        ([None, 0.1, None, 0.2], [None, 2, None, 1]),
        ([None, None], [None, None]),
        ([0.1, math.nan, 0.3, 0.2], [3, None, 1, 2]),
    ],
    ids=[
        "no run",
        "one run",
        "the highest is first",
        "a tie takes the better rank and the next rank is left out",
        "all equal",
        "zero has no sign",
        "no value, no rank",
        "nothing has a value",
        "NaN is no value and spoils no other rank",
    ],
)
def test_ranks(values: list[float | None], expected: list[int | None]) -> None:
    assert ranks(values) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.none(), FEW, st.floats(allow_nan=False))))
def test_a_rank_is_one_more_than_the_number_of_higher_values(values: list[float | None]) -> None:
    known = [value for value in values if value is not None]
    assert ranks(values) == [
        None if value is None else 1 + sum(other > value for other in known) for value in values
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(FEW, st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_ranks_equal_those_of_scipy_by_the_method_min(values: list[float]) -> None:
    assert ranks(values) == rankdata([-value for value in values], method="min").astype(int).tolist()
