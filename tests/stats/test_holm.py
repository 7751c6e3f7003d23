"""Holm's correction against statsmodels, and what it promises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from radcap.stats import holm_adjusted

P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([1 / 10_001, 0.01, 0.05, 1.0])), max_size=30)


@pytest.mark.parametrize(
    ("p", "expected"),
    [([], []), ([0.04], [0.04]), ([0.01, 0.01], [0.02, 0.02]), ([0.9, 0.6, 0.5], [1.0, 1.0, 1.0])],
    ids=["no pair", "one pair", "equal ones", "never above 1"],
)
def test_holm(p: list[float], expected: list[float]) -> None:
    assert holm_adjusted(p) == expected


@pytest.mark.slow
@settings(max_examples=15, deadline=None)  # statsmodels takes its time
@given(P_VALUES.filter(bool))
def test_holm_equals_statsmodels(p: list[float]) -> None:
    theirs = multipletests(p, method="holm")[1]
    assert theirs is not None
    assert holm_adjusted(p) == pytest.approx(theirs.tolist(), abs=1e-15)


@settings(max_examples=100, deadline=None)
@given(P_VALUES)
def test_a_corrected_p_is_never_lower_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm_adjusted(p)
    assert all(before <= after <= 1 for before, after in zip(p, adjusted, strict=True))
    assert sorted(adjusted) == [after for _, after in sorted(zip(p, adjusted, strict=True))]
