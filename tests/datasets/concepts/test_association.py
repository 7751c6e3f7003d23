"""Shares, G and its probability, against scipy and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2, chi2_contingency
from sklearn.metrics import mutual_info_score

from radcap.datasets.concepts.association import chance_p, expected_together, g_statistics, wilson
from radcap.stats import Interval


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 5_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_scipy(counts: tuple[int, int]) -> None:
    part, whole = counts
    found, expected = wilson(part, whole), binomtest(part, whole).proportion_ci(method="wilson")
    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)
    assert 0 <= found.low <= part / whole <= found.high <= 1


def test_of_nothing_every_share_is_possible() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)


def test_another_level_is_another_interval() -> None:
    wide, narrow = wilson(3, 10, 0.99), wilson(3, 10, 0.5)
    assert wide.low < narrow.low < 0.3 < narrow.high < wide.high


TABLES = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60)).filter(
    lambda cells: sum(cells) > 0
)


@settings(max_examples=200, deadline=None)
@given(TABLES)
def test_g_is_that_of_scipy_and_of_mutual_information(cells: tuple[int, int, int, int]) -> None:
    both, only_first, only_second, neither = cells
    first, second, n = both + only_first, both + only_second, sum(cells)
    (g,) = g_statistics(np.array([both]), first, np.array([second]), n)
    told_first = [1] * (both + only_first) + [0] * (only_second + neither)
    told_second = [1] * both + [0] * only_first + [1] * only_second + [0] * neither
    assert g == pytest.approx(2 * n * mutual_info_score(told_first, told_second), abs=1e-6)
    if 0 < first < n and 0 < second < n:  # scipy wants no empty row or column
        table = np.array([[both, only_first], [only_second, neither]])
        expected: Any = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert g == pytest.approx(expected.statistic, abs=1e-6)
        assert chance_p(np.array([g]))[0] == pytest.approx(expected.pvalue, abs=1e-6)
        chance = expected.expected_freq[0][0]
        assert expected_together(first, np.array([second]), n)[0] == pytest.approx(chance)


def test_many_are_counted_at_once_as_alone() -> None:
    together, second = np.array([3, 0, 7]), np.array([5, 2, 9])
    alone = [g_statistics(together[i : i + 1], 8, second[i : i + 1], 40)[0] for i in range(3)]
    assert g_statistics(together, 8, second, 40).tolist() == pytest.approx(alone)


def test_probabilities_reach_from_one_to_zero() -> None:
    g = np.array([0.0, 1.0, 3.841458820694124, 50.0, 1e6])
    assert chance_p(g) == pytest.approx(chi2.sf(g, 1).tolist())


def test_nothing_against_nothing() -> None:
    nothing = np.array([], np.int64)
    assert g_statistics(nothing, 3, nothing, 10).tolist() == []
    assert chance_p(np.array([])) == []
