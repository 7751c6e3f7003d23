"""Wins, ties and losses against a plain count."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.stats import Wins, count_wins

VALUES = st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-16, 0.5000001, 1.0, math.nan])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=20))
def test_wins_equal_a_plain_count(pairs: list[tuple[float, float]]) -> None:
    known = [(a, b) for a, b in pairs if not math.isnan(a) and not math.isnan(b)]
    first, second = np.array(pairs, dtype=float).reshape(-1, 2).T
    found = count_wins(first, second)
    assert found == Wins(
        sum(a > b for a, b in known), sum(a == b for a, b in known), sum(a < b for a, b in known)
    )
    assert found.wins + found.ties + found.losses == len(known)
    assert count_wins(second, first) == Wins(found.losses, found.ties, found.wins)
