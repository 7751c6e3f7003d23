"""Label sets seen in training: against the weighted law of all sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from decision_samples import all_sets, best_value, independent_law, predictions, value_of
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.detection.decisions import Decision, fit_rule, sample_f1
from radcap.detection.decisions.label_sets import LabelSets
from radcap.detection.decisions.set_store import SetStore, store_of
from radcap.detection.decisions.set_weights import heaviest

LABELS = 4


def stored(seed: int, images: int = 12) -> tuple[np.ndarray, SetStore]:
    truth = np.random.default_rng(seed).random((images, LABELS)) < 0.4
    return truth, store_of(truth)[0]


def whole_law(rule: LabelSets, truth: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Weights of all sets, one after the other, as the definition reads."""
    weights = []
    for one in all_sets(LABELS):
        count = int((truth == one).all(axis=1).sum())
        likelihood = float(np.prod(np.where(one, probabilities, 1 - probabilities)))
        weights.append(count**rule.count_power * likelihood**rule.fit_power if count else 0.0)
    joint = np.array(weights) / sum(weights)
    return rule.share * joint + (1 - rule.share) * independent_law(probabilities.tolist())


@settings(deadline=None, max_examples=80)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.booleans(),
)
def test_the_best_of_all_sets(seed: int, share: float, counts: float, fit: float, empty_scores: bool) -> None:
    truth, store = stored(seed)
    probabilities = np.random.default_rng(seed + 1).uniform(0.01, 0.99, size=(2, LABELS))
    rule = LabelSets(Decision("label-sets", empty_scores=empty_scores), store, share, counts, fit)
    for row, chosen in zip(probabilities, rule.decide(probabilities), strict=True):
        law = whole_law(rule, truth, row)
        wanted = best_value(law, LABELS, empty_scores=empty_scores)
        assert value_of(chosen, law, empty_scores=empty_scores) == pytest.approx(wanted, abs=1e-9)


def test_an_own_set_counts_once_less() -> None:
    truth, _ = stored(3, images=9)
    store, own = store_of(truth)
    probabilities = np.random.default_rng(4).uniform(0.05, 0.95, size=truth.shape)
    rule = LabelSets(Decision("label-sets"), store, share=1.0)
    without = rule.decide_without(probabilities, own)
    for row in range(len(truth)):
        others = replace(rule, store=store_of(np.delete(truth, row, axis=0))[0])
        np.testing.assert_array_equal(without[row], others.decide(probabilities[row : row + 1])[0])


def test_no_set_is_left() -> None:
    store, own = store_of(np.array([[True, False]]))
    places, weights = heaviest(store, np.array([[0.5, 0.5]]), (0.5, 1.0), 10, own)
    assert (places.tolist(), weights.tolist()) == ([[0]], [[0.0]])


def test_only_the_heaviest_sets_count() -> None:
    _, store = stored(5, images=40)
    probabilities = np.random.default_rng(6).uniform(0.05, 0.95, size=(7, LABELS))
    places, weights = heaviest(store, probabilities, (0.5, 1.0), 1000)
    few, some = heaviest(store, probabilities, (0.5, 1.0), 3)
    for row in range(7):
        best = set(np.argsort(-weights[row])[:3].tolist())
        assert set(few[row].tolist()) == {int(places[row, place]) for place in best}
    np.testing.assert_allclose(some.sum(axis=1), 1)
    np.testing.assert_allclose(weights.sum(axis=1), 1)


def test_dependence_is_found() -> None:
    """Two labels that exclude each other, each as likely: independence takes both, sets take one."""
    generator = np.random.default_rng(7)
    first = generator.random(600) < 0.5
    truth = np.stack([first, ~first, generator.random(600) < 0.5], axis=1)
    probabilities = np.column_stack([np.full((600, 2), 0.5), np.where(truth[:, 2], 0.9, 0.1)])
    sets, apart = (
        fit_rule(Decision(rule), probabilities, truth, ("A", "B", "C"))
        for rule in ("label-sets", "expected-f1")
    )
    assert isinstance(sets.fitted, LabelSets)
    assert sets.fitted.share > 0
    ours, theirs = (sample_f1(one(probabilities), truth).mean() for one in (sets, apart))
    assert ours >= theirs


def test_training_gives_the_sets_and_few_images_tune() -> None:
    logits, truth, labels = predictions(120)
    probabilities = 1 / (1 + np.exp(-logits))
    config = Decision("label-sets", fit_images=30, candidates=8, sets=20)
    rule = fit_rule(config, probabilities, truth, labels, train_truth=truth[:40])
    assert isinstance(rule.fitted, LabelSets)
    assert rule.fitted.store.counts.sum() == 40
    assert rule(probabilities).shape == truth.shape
    nothing = fit_rule(config, probabilities, truth, labels, train_truth=truth[:0])
    assert isinstance(nothing.fitted, LabelSets)
    assert nothing.fitted.share == 0
    alone = fit_rule(Decision("expected-f1", candidates=8), probabilities, truth, labels)
    np.testing.assert_array_equal(nothing(probabilities), alone(probabilities))


def test_the_store_holds_each_set_once() -> None:
    truth = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    store, places = store_of(truth)
    sets = [tuple(one) for one in store.to_json()["sets"]]
    assert sorted(sets) == [(), (0, 2), (1,)]
    assert [sets[place] for place in places.tolist()] == [(0, 2), (), (0, 2), (1,)]
    assert store.counts[sets.index((0, 2))] == 2
    no_labels, _ = store_of(np.zeros((3, 0), bool))
    assert no_labels.to_json() == {"sets": [[]], "counts": [3.0]}
    assert no_labels.fits(np.zeros((2, 0))).tolist() == [[0.0], [0.0]]
