"""Logarithmic axes: powers of ten, every value inside."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.report.log_axis import log_axis


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (4_300, ["1", "10", "100", "1,000"]),
        (1_000, ["1", "10", "100", "1,000"]),
        (10, ["1", "10"]),
        (3, ["1", "10"]),
        (0, ["1", "10"]),
    ],
)
def test_ticks_are_powers_of_ten(most: float, labels: list[str]) -> None:
    axis = log_axis(most)
    assert [axis.label(tick) for tick in axis.ticks] == labels


@settings(max_examples=200, deadline=None)
@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_shares_keep_the_order_of_values(one: float, other: float) -> None:
    axis = log_axis(max(one, other))
    low, high = sorted((one, other))
    assert 0 <= axis.share(low) <= axis.share(high) <= 1
    assert all(0 <= axis.share(tick) <= 1 for tick in axis.ticks)


def test_each_power_is_as_long_as_the_next() -> None:
    axis = log_axis(1_000)
    assert [axis.share(value) for value in (1, 10, 100, 1_000)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
