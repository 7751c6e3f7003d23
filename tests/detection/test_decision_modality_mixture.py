"""The mixture over modalities: against the law of all sets."""

from __future__ import annotations

import numpy as np
import pytest
from decision_samples import CHEST, CT, MR, best_value, independent_law, predictions, value_of
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.detection.decisions import Decision, fit_rule
from radcap.detection.decisions.modality_mixture import ModalityMixture
from radcap.detection.decisions.modality_parts import log_ratios, modality_weights, shifted

LABELS = (CT, "C0000001", MR, CHEST)
COLUMNS = np.array([0, 2])


def odds(p: float) -> float:
    return float(np.log(p / (1 - p)))


def sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def parts_of(row: np.ndarray) -> list[float]:
    """Weights of CT, MR and none, one after the other."""
    raw = [row[0] / (1 - row[0]), row[2] / (1 - row[2]), 1.0]
    kept = [one / sum(raw) if one / sum(raw) >= 0.01 else 0.0 for one in raw]
    return [one / sum(kept) for one in kept]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
def test_the_best_of_all_sets(seed: int, strength: float, empty_scores: bool) -> None:
    generator = np.random.default_rng(seed)
    ratios = generator.normal(size=(3, 4))
    probabilities = generator.uniform(0.02, 0.98, size=(3, 4))
    config = Decision("modality-mixture", empty_scores=empty_scores)
    rule = ModalityMixture(config, COLUMNS, ratios, strength, keep_marginals=False)
    for row, chosen in zip(probabilities, rule.decide(probabilities), strict=True):
        law = sum(
            weight
            * independent_law(
                [sigmoid(odds(p) + strength * move) for p, move in zip(row, ratios[part], strict=True)]
            )
            for part, weight in enumerate(parts_of(row))
        )
        assert isinstance(law, np.ndarray)
        wanted = best_value(law, 4, empty_scores=empty_scores)
        assert value_of(chosen, law, empty_scores=empty_scores) == pytest.approx(wanted, abs=1e-9)


def test_marginals_are_kept() -> None:
    generator = np.random.default_rng(1)
    probabilities = generator.uniform(0.001, 0.999, size=(20, 4))
    row, part, weights = modality_weights(probabilities[:, COLUMNS])
    for image in range(20):
        mine = row == image
        found = np.zeros(3)
        found[part[mine]] = weights[mine]
        np.testing.assert_allclose(found, parts_of(probabilities[image]))
    moved = generator.normal(scale=3, size=(3, 4))[part]
    bent = shifted(probabilities, moved, row, weights, keep_marginals=True)
    together = np.zeros((20, 4))
    np.add.at(together, row, weights[:, None] * bent)
    np.testing.assert_allclose(together, probabilities, atol=1e-9)
    apart = np.log(bent / (1 - bent)) - moved  # the shift is the same in all parts of an image
    for image in range(20):
        assert np.ptp(apart[row == image], axis=0) == pytest.approx(0, abs=1e-6)


def test_ratios_are_those_of_training() -> None:
    truth = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    found = log_ratios(truth, np.array([0, 2]), prior=2.0)
    share = (2 + 0.5) / 7
    given_ct = (2 + 2 * share) / (3 + 2)
    assert found.shape == (3, 3)
    assert found[0, 1] == pytest.approx(odds(given_ct) - odds(share))
    assert found[2, 1] == pytest.approx(odds((0 + 2 * share) / (2 + 2)) - odds(share))
    assert found[0, 0] > 0 > found[1, 0]
    assert np.isfinite(log_ratios(truth[:0], np.array([0, 2]), prior=0.0)).all()


@pytest.mark.parametrize("labels", [LABELS, ("A", "B", "C", "D")])
def test_strength_zero_is_expected_f1(labels: tuple[str, ...]) -> None:
    probabilities = np.random.default_rng(2).uniform(0.02, 0.98, size=(40, 4))
    columns = np.array([place for place, one in enumerate(labels) if one in {CT, MR}], dtype=np.int64)
    rule = ModalityMixture(Decision(), columns, np.ones((len(columns) + 1, 4)), 0.0)
    alone = fit_rule(Decision(), probabilities, np.zeros((40, 4), bool), labels)
    np.testing.assert_array_equal(rule.decide(probabilities), alone(probabilities))


def test_a_fit_finds_a_strength() -> None:
    logits, truth, labels = predictions(100)
    probabilities = 1 / (1 + np.exp(-logits))
    rule = fit_rule(Decision("modality-mixture", candidates=10, fit_images=40), probabilities, truth, labels)
    assert isinstance(rule.fitted, ModalityMixture)
    assert rule.fitted.columns.tolist() == list(range(8))
    assert 0 <= rule.fitted.strength <= 1
