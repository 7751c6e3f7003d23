"""Expected F1 of independent labels: against every set and every outcome, and against GFM."""

from __future__ import annotations

import numpy as np
import pytest
from decision_samples import all_sets, best_value, independent_law, value_of
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.detection.decisions.expected_f1 import ExpectedF1, expected_values
from radcap.detection.decisions.gfm import best_sets, gfm_of_sets
from radcap.detection.decisions.independent import (
    corrected_gains,
    independent_gains,
    none_there,
    whole_law,
)
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.poisson_binomial import (
    count_law,
    law_without_each,
    mean_reciprocals,
    poisson,
)

ANY = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1 - 1e-9]), st.floats(0, 1))


@settings(deadline=None, max_examples=150)
@given(st.lists(ANY, min_size=1, max_size=7), st.booleans())
def test_the_best_of_all_sets(probabilities: list[float], empty_scores: bool) -> None:
    law = independent_law(probabilities)
    chosen = ExpectedF1(60, empty_scores).decide(np.array([probabilities]))[0]
    wanted = best_value(law, len(probabilities), empty_scores=empty_scores)
    assert value_of(chosen, law, empty_scores=empty_scores) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("labels", [8, 9, 10])
def test_the_best_of_all_sets_of_many_labels(labels: int) -> None:
    generator = np.random.default_rng(labels)
    probabilities = generator.beta(0.4, 1.0, size=(3, labels))
    chosen = ExpectedF1(60, empty_scores=True).decide(probabilities)
    for row, one in zip(probabilities, chosen, strict=True):
        law = independent_law(row)
        sizes = all_sets(labels).sum(axis=1)
        best = max(
            float((2 * (all_sets(labels) & answer).sum(axis=1) / np.maximum(sizes + answer.sum(), 1)) @ law)
            for answer in all_sets(labels)[1:]
        )
        found = 2 * (all_sets(labels) & one).sum(axis=1) / np.maximum(sizes + one.sum(), 1)
        assert max(float(found @ law), law[0] if not one.any() else 0) == pytest.approx(
            max(best, law[0]), abs=1e-12
        )


@settings(deadline=None, max_examples=100)
@given(st.lists(ANY, min_size=1, max_size=6))
def test_every_value_is_the_expectation(probabilities: list[float]) -> None:
    ordered = np.array(sorted(probabilities, reverse=True))
    values = expected_values(ordered[None], np.zeros(1), empty_scores=True)[0]
    law = independent_law(ordered.tolist())
    for k, value in enumerate(values):
        chosen = np.arange(len(ordered)) < k
        assert value == pytest.approx(value_of(chosen, law), abs=1e-12)


@settings(deadline=None, max_examples=100)
@given(st.lists(ANY, min_size=1, max_size=6))
def test_gfm_over_independent_labels_is_the_same(probabilities: list[float]) -> None:
    row = np.array([probabilities])
    gains = independent_gains(row, np.zeros(1))
    chosen, values = best_sets(gains, none_there(row, np.zeros(1)))
    law = independent_law(probabilities)
    by_sets = gfm_of_sets(all_sets(len(probabilities)), law)
    ordered = np.sort(row)[:, ::-1]
    wanted = expected_values(ordered, np.zeros(1), empty_scores=True).max()
    assert values[0] == pytest.approx(wanted, abs=1e-12)
    assert by_sets.value == pytest.approx(wanted, abs=1e-12)
    assert value_of(chosen[0], law) == pytest.approx(wanted, abs=1e-12)


def test_gfm_and_expected_f1_agree_beyond_the_candidates() -> None:
    generator = np.random.default_rng(5)
    probabilities = generator.beta(0.2, 3.0, size=(200, 150))
    top = likeliest(probabilities, 60)
    assert top.beyond.max() > 0
    chosen, values = best_sets(
        independent_gains(top.probabilities, top.beyond), none_there(top.probabilities, top.beyond)
    )
    np.testing.assert_allclose(
        values, expected_values(top.probabilities, top.beyond, empty_scores=True).max(axis=1), atol=1e-12
    )
    np.testing.assert_array_equal(
        top.decided(chosen), ExpectedF1(60, empty_scores=True).decide(probabilities)
    )


def test_sixty_candidates_decide_as_all() -> None:
    """Long-tailed, about four labels an image, as in the challenge."""
    generator = np.random.default_rng(6)
    shares = 0.6 / np.arange(1, 401)
    odds = np.log(shares / (1 - shares)) + generator.normal(size=(100, 400))
    probabilities = 1 / (1 + np.exp(-odds))
    few, all_of_them = (ExpectedF1(many, empty_scores=True).decide(probabilities) for many in (60, 400))
    assert (few == all_of_them).all(axis=1).mean() >= 0.99


def test_laws_against_plain_sums() -> None:
    probabilities = np.array([[0.0, 1.0, 0.3, 0.5, 0.9], [0.2, 0.2, 0.2, 0.2, 0.2]])
    sets = all_sets(5)
    for row, law, without in zip(
        probabilities, count_law(probabilities), law_without_each(probabilities), strict=True
    ):
        outcomes = independent_law(row.tolist())
        wanted = [outcomes[sets.sum(axis=1) == count].sum() for count in range(6)]
        np.testing.assert_allclose(law, wanted, atol=1e-14)
        for label in range(5):
            np.testing.assert_allclose(without[label], count_law(np.delete(row, label)[None])[0], atol=1e-13)


@pytest.mark.parametrize("mean", [0.0, 0.3, 7.0, 400.0])
def test_poisson_against_scipy(mean: float) -> None:
    from scipy import stats

    law = poisson(np.array([mean]))[0]
    counts = np.arange(len(law))
    np.testing.assert_allclose(law, stats.poisson.pmf(counts, mean), rtol=1e-9, atol=1e-300)
    assert law.sum() == pytest.approx(1)
    wanted = [sum(p / (a + t) for t, p in enumerate(law)) for a in (1, 2, 3)]
    np.testing.assert_allclose(mean_reciprocals(np.array([mean]), 3)[0], wanted, rtol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.lists(st.floats(0.1, 5), min_size=1, max_size=4))
def test_a_corrected_number_of_labels(probabilities: list[float], ratios: list[float]) -> None:
    """As the law of all sets, each times the ratio of its size."""
    given_ratios = np.array(ratios)
    sets = all_sets(len(probabilities))
    law = independent_law(probabilities) * given_ratios[np.minimum(sets.sum(axis=1), len(ratios) - 1)]
    law /= law.sum()
    gains, none = corrected_gains(np.array([probabilities]), np.zeros(1), given_ratios)
    chosen, values = best_sets(gains, none)
    assert none[0] == pytest.approx(law[0], abs=1e-12)
    assert values[0] == pytest.approx(best_value(law, len(probabilities)), abs=1e-12)
    assert value_of(chosen[0], law) == pytest.approx(values[0], abs=1e-12)


def test_the_whole_law_adds_the_tail() -> None:
    from scipy import stats

    probabilities, beyond = np.array([[0.3, 0.6], [0.1, 0.0]]), np.array([1.5, 0.0])
    law = whole_law(probabilities, beyond, 5)
    for row, mean, found in zip(probabilities, beyond, law, strict=True):
        exact = count_law(row[None])[0]
        whole = np.convolve(exact, stats.poisson.pmf(np.arange(40), mean))
        np.testing.assert_allclose(found, [*whole[:4], whole[4:].sum()], atol=1e-9)
    assert whole_law(probabilities, beyond, 1).tolist() == [[1.0], [1.0]]


def test_ties_go_to_the_first_column_and_types_do_not_matter() -> None:
    probabilities = np.full((1, 5), 0.4, dtype=np.float32)
    top = likeliest(probabilities, 3)
    assert sorted(top.columns[0].tolist()) == top.columns[0].tolist()
    rule = ExpectedF1(60, empty_scores=False)
    generator = np.random.default_rng(3)
    given_rows = generator.random((50, 30)).astype(np.float32)
    np.testing.assert_array_equal(rule.decide(given_rows), rule.decide(given_rows.astype(np.float64)))
