"""Cohen's kappa against statsmodels, scikit-learn, SciPy and the table of the ROCOv2 paper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from radcap.core import UsageError
from radcap.stats import ConfusionMatrix, Kappa, Weighting, chance_corrected, cohen_kappa, rater_kappa

THEIR_NAME = {"none": None, "linear": "linear", "quadratic": "quadratic"}


@st.composite
def tables(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(2, 5))
    row = st.lists(st.one_of(st.just(0), st.integers(0, 40)), min_size=size, max_size=size)
    return draw(st.lists(row, min_size=size, max_size=size))


def matrix(table: list[list[int]]) -> ConfusionMatrix:
    return ConfusionMatrix(tuple(range(len(table))), tuple(map(tuple, table)))


def both_raters_vary(table: list[list[int]]) -> bool:
    counts = np.array(table)
    return all((counts.sum(axis=axis) > 0).sum() > 1 for axis in (0, 1))


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(list(Weighting)))
@example([[0, 0, 1], [0, 1, 0], [0, 0, 0]], Weighting.LINEAR)  # no rater below the other: nothing to test
def test_value_variances_interval_and_test_equal_statsmodels(table: list[list[int]], kind: Weighting) -> None:
    assume(both_raters_vary(table))
    ours = cohen_kappa(matrix(table), kind)
    with np.errstate(divide="ignore", invalid="ignore"):
        theirs: Any = cohens_kappa(np.array(table), wt=THEIR_NAME[kind])
    assert ours.value == pytest.approx(theirs.kappa, abs=1e-12)
    assert ours.variance == pytest.approx(theirs.var_kappa, abs=1e-12)
    assert ours.variance_if_independent == pytest.approx(theirs.var_kappa0, rel=1e-6, abs=1e-12)
    interval = ours.interval()
    if ours.variance == 0:  # theirs may be the root of a rounded -0
        assert interval.low == interval.high == ours.value
    else:
        ends = (theirs.kappa_low, theirs.kappa_upp)
        assert (interval.low, interval.high) == pytest.approx(ends, abs=1e-6)
    if ours.variance_if_independent == 0:
        assert math.isnan(ours.z)
    else:
        assert ours.z == pytest.approx(theirs.z_value, rel=1e-6, abs=1e-9)
        assert ours.p == pytest.approx(theirs.pvalue_two_sided, rel=1e-6, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(tables(), st.sampled_from(list(Weighting)))
def test_two_label_sequences_equal_scikit_learn(table: list[list[int]], kind: Weighting) -> None:
    assume(both_raters_vary(table))
    pairs = [(a, b) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    labels = list(range(len(table)))
    theirs = cohen_kappa_score(first, second, labels=labels, weights=THEIR_NAME[kind])
    assert rater_kappa(first, second, labels=labels, weighting=kind).value == pytest.approx(theirs, abs=1e-12)


# Rueckert et al., ROCOv2 (Scientific Data 2024), agreement of two annotators: agreements, images,
# agreement expected by chance in per cent, kappa as printed. The counts behind it were not published.
ROCOV2 = [
    ("modality", 378, 400, 23.48, "0.928"),
    ("body region", 363, 400, 19.05, "0.886"),
    ("directionality", 264, 399, 23.57, "0.557"),
]


@pytest.mark.parametrize(("agreed", "images", "chance", "printed"), [row[1:] for row in ROCOV2])
def test_the_kappas_of_the_rocov2_paper_follow_from_its_agreements(
    agreed: int, images: int, chance: float, printed: str
) -> None:
    assert f"{chance_corrected(agreed / images, chance / 100):.3f}" == printed


def test_quadratic_kappa_by_the_formula_for_ratings() -> None:
    """1 - sum w p / sum w r c with w = (i - j)^2 / (k - 1)^2, term by term."""
    first, second = [1, 2, 3, 4, 5, 5, 2], [1, 3, 3, 5, 4, 5, 1]
    n, levels = len(first), range(1, 6)
    observed = sum(((a - b) / 4) ** 2 for a, b in zip(first, second, strict=True)) / n
    expected = sum(
        ((a - b) / 4) ** 2 * first.count(a) * second.count(b) / n**2 for a in levels for b in levels
    )
    found = rater_kappa(first, second, labels=list(levels), weighting="quadratic")
    assert found.value == pytest.approx(1 - observed / expected, abs=1e-14)


def test_an_interval_of_another_level() -> None:
    found = Kappa(0.5, 100, Weighting.NONE, 0.01, 0.01).interval(0.9)
    half = norm.ppf(0.95) * 0.1
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-12)


def test_full_agreement_is_1_with_no_spread() -> None:
    found = rater_kappa(["a", "b", "b", "c"], ["a", "b", "b", "c"])
    assert (found.value, found.variance, found.n) == (pytest.approx(1.0), 0.0, 4)
    assert 0 < found.p < 0.05


@pytest.mark.parametrize("kind", list(Weighting))
@pytest.mark.parametrize("labels", [["a"], ["a", "b"]])
def test_one_label_in_use_leaves_nothing_to_chance_and_kappa_undefined(labels: list[str], kind: str) -> None:
    found = rater_kappa(["a", "a", "a"], ["a", "a", "a"], labels=labels, weighting=kind)
    numbers = [found.value, found.variance, found.variance_if_independent, found.z, found.p]
    assert all(map(math.isnan, [*numbers, found.interval().low, found.interval().high]))
    assert found.n == 3


def test_no_items_have_no_kappa() -> None:
    assert math.isnan(rater_kappa([], []).value)
    assert math.isnan(chance_corrected(1.0, 1.0))


@pytest.mark.parametrize("kind", list(Weighting))
def test_a_rater_with_one_label_agrees_as_chance_does_and_cannot_be_tested(kind: str) -> None:
    found = rater_kappa([1, 1, 1, 1, 1, 1, 1], [1, 2, 3, 1, 1, 2, 1], labels=[1, 2, 3], weighting=kind)
    assert found.value == pytest.approx(0.0, abs=1e-14)
    assert (found.variance, found.variance_if_independent) == (0.0, 0.0)
    assert math.isnan(found.z)
    assert math.isnan(found.p)


def test_a_weighted_kappa_needs_the_whole_scale() -> None:
    with pytest.raises(UsageError, match="without labels"):
        rater_kappa([1, 5], [1, 5], weighting="quadratic")


def test_an_unknown_weighting_is_refused_with_the_choice() -> None:
    with pytest.raises(UsageError, match="Nearest is 'quadratic'"):
        rater_kappa([1, 5], [1, 5], labels=[1, 5], weighting="quadric")
