"""Ranges of ranks against plain loops over the resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.stats import RankRange, ranks, resampled_rank_ranges

EIGHTHS = st.integers(0, 8).map(lambda count: count / 8)


def plain_range(taken: list[int], level: float) -> RankRange:
    ordered = sorted(taken)
    last = len(ordered) - 1
    return RankRange(ordered[math.floor((1 - level) / 2 * last)], ordered[math.ceil((1 + level) / 2 * last)])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(EIGHTHS, EIGHTHS, EIGHTHS), min_size=1, max_size=50), st.sampled_from([0.5, 0.75]))
def test_ranges_equal_a_loop_over_the_resamples(rows: list[tuple[float, ...]], level: float) -> None:
    taken = [ranks(row) for row in rows]
    expected = [plain_range([row[run] or 0 for row in taken], level) for run in range(3)]
    assert resampled_rank_ranges(np.array(rows), level) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0.3, 0.2]], [(1, 1), (2, 2)]),
        ([[0.1 + 0.2, 0.3]], [(1, 1), (1, 1)]),
        ([[0.3, 0.2], [math.nan, math.nan]], [(1, 1), (2, 2)]),
        ([[math.nan, math.nan]], [(1, 2), (1, 2)]),
        ([[0.0, 0.0]], [(1, 1), (1, 1)]),
    ],
    ids=[
        "one resample",
        "rounding is no rank",
        "a resample without values",
        "no resample at all",
        "all zero",
    ],
)
def test_ranges(rows: list[list[float]], expected: list[tuple[int, int]]) -> None:
    assert resampled_rank_ranges(np.array(rows), 0.95) == [RankRange(*pair) for pair in expected]


def test_a_rare_rank_is_outside_the_range() -> None:
    rows = [[0.9, 0.1]] * 99 + [[0.1, 0.9]]
    assert resampled_rank_ranges(np.array(rows), 0.9) == [RankRange(1, 1), RankRange(2, 2)]
    assert resampled_rank_ranges(np.array(rows), 0.999) == [RankRange(1, 2), RankRange(1, 2)]
