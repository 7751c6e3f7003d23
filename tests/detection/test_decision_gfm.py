"""The general F-measure maximiser: against every set under random joint laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decision_samples import all_sets, best_value, value_of
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.detection.decisions import gfm, gfm_of_sets


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 6), st.integers(0, 10**6), st.booleans(), st.floats(0.05, 3))
def test_the_best_of_all_sets(labels: int, seed: int, empty_scores: bool, evenness: float) -> None:
    law = np.random.default_rng(seed).dirichlet(np.full(2**labels, evenness))
    answer = gfm_of_sets(all_sets(labels), law, empty_scores=empty_scores)
    wanted = best_value(law, labels, empty_scores=empty_scores)
    assert answer.value == pytest.approx(wanted, abs=1e-12)
    assert value_of(answer.labels, law, empty_scores=empty_scores) == pytest.approx(wanted, abs=1e-12)


def test_from_a_matrix() -> None:
    """Either the first two labels or the last alone: as likely, but the pair is worth more."""
    q = np.array([[0.0, 0.5], [0.0, 0.5], [0.5, 0.0]])
    answer = gfm(q, 0.0)
    assert answer.labels.tolist() == [True, True, True]
    assert answer.value == pytest.approx(0.5 * 4 / 5 + 0.5 * 2 / 4)
    assert gfm(q * 0.2, 0.8).labels.tolist() == [False, False, False]


def test_no_labels() -> None:
    answer = gfm(np.zeros((0, 0)), 1.0)
    assert (answer.labels.shape, answer.value) == ((0,), 1.0)
    assert gfm_of_sets(np.zeros((2, 0), bool), np.ones(2)).value == 1.0


@pytest.mark.parametrize("q", [np.zeros(3), np.array([[-0.1]]), np.array([[np.nan]])])
def test_what_is_no_law_is_refused(q: Any) -> None:
    with pytest.raises(UsageError, match="labels x sizes"):
        gfm(q, 0.0)


@pytest.mark.parametrize("weights", [np.ones(3), np.zeros(2), np.array([1.0, -0.5]), np.array([1.0, np.nan])])
def test_what_are_no_weights_is_refused(weights: Any) -> None:
    with pytest.raises(UsageError, match="Give each set a weight"):
        gfm_of_sets(np.ones((2, 2), bool), weights)
