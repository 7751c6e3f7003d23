"""Rules with thresholds: against slow searches that score every choice anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from decision_samples import predictions
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from radcap.detection.decisions import Decision, fit_rule, sample_f1, sweep
from radcap.detection.decisions.cuts import grid
from radcap.detection.decisions.sweep import best_threshold
from radcap.detection.decisions.thresholds import NEVER, Thresholds
from radcap.detection.decisions.top_k import TopK

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHAPES = st.tuples(
    st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6), st.sampled_from([2, 10, 10**6])
)


def made(shape: tuple[int, int, int, int]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probabilities, often equal, and truth that has something to do with them."""
    images, labels, seed, distinct = shape
    generator = np.random.default_rng(seed)
    probabilities = generator.integers(0, distinct + 1, size=(images, labels)) / distinct
    return probabilities, generator.random((images, labels)) < probabilities


def thresholds(config: Decision, probabilities: NDArray[np.float64], truth: NDArray[np.bool_]) -> list[float]:
    names = tuple(f"C{place:07d}" for place in range(truth.shape[1]))
    fitted = fit_rule(config, probabilities, truth, names).fitted
    assert isinstance(fitted, Thresholds)
    return fitted.values.tolist()


def mean(probabilities: NDArray[np.float64], truth: NDArray[np.bool_], values: object) -> float:
    return float(sample_f1(probabilities >= np.asarray(values), truth).mean())


@settings(deadline=None, max_examples=100)
@given(SHAPES)
def test_the_best_global_threshold(shape: tuple[int, int, int, int]) -> None:
    probabilities, truth = made(shape)
    found = best_threshold(probabilities, truth)
    tried = [NEVER, *np.unique(probabilities).tolist()[::-1]]
    wanted = [mean(probabilities, truth, one) for one in tried]
    assert mean(probabilities, truth, found) == pytest.approx(max(wanted), abs=1e-12)
    assert found == tried[int(np.argmax(np.round(wanted, 12)))]  # the highest of equals


def test_a_large_matrix_is_swept_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, truth, _ = predictions(400)
    probabilities = (1 / (1 + np.exp(-logits))).astype(np.float32)
    exact = best_threshold(probabilities, truth)
    monkeypatch.setattr(sweep, "_EXACT", 0)
    found = best_threshold(probabilities, truth)
    assert found * 2**14 == round(found * 2**14)
    tried = [mean(probabilities, truth, one / 2**14) for one in range(0, 2**14 + 1, 16)]
    assert mean(probabilities, truth, found) >= max(tried) - 1e-12
    assert mean(probabilities, truth, found) == pytest.approx(mean(probabilities, truth, exact), abs=1e-3)
    theirs = f1_score(truth, probabilities >= found, average="samples", zero_division=1.0)  # pyright: ignore[reportArgumentType]
    assert mean(probabilities, truth, found) == pytest.approx(theirs)


def slow_greedy(
    probabilities: NDArray[np.float64], truth: NDArray[np.bool_], start: float, step: float
) -> list[float]:
    values = np.full(truth.shape[1], start)
    for column in range(len(values)):
        best, kept = mean(probabilities, truth, values), start
        tried = start
        while (tried := round(tried - step, 9)) > 1e-9:
            values[column] = tried
            if (found := mean(probabilities, truth, values)) > best + 1e-11:
                best, kept = found, tried
        values[column] = kept
    return values.tolist()


@settings(deadline=None, max_examples=40)
@given(SHAPES)
def test_greedy_as_a_slow_search(shape: tuple[int, int, int, int]) -> None:
    probabilities, truth = made(shape)
    config = Decision("per-label-greedy", start=0.4, step=0.05)
    found = thresholds(config, probabilities, truth)
    assert found == pytest.approx(slow_greedy(probabilities, truth, 0.4, 0.05))
    assert all(value <= 0.4 for value in found)


def slow_regularised(
    probabilities: NDArray[np.float64], truth: NDArray[np.bool_], config: Decision
) -> list[float]:
    start = min(best_threshold(probabilities, truth), 1.0)
    values, positives = np.full(truth.shape[1], start), truth.sum(axis=0)
    for column in sorted(range(len(values)), key=lambda place: -positives[place]):
        if positives[column] < max(config.min_positives, 1):
            continue
        best, kept = mean(probabilities, truth, values), start
        for tried in sorted(set(probabilities[:, column].tolist()) - {0.0}, reverse=True):
            values[column] = tried
            found = mean(probabilities, truth, values) - config.penalty * abs(tried - start)
            if found > best + 1e-11:
                best, kept = found, tried
        values[column] = kept
    return values.tolist()


@settings(deadline=None, max_examples=60)
@given(SHAPES, st.sampled_from([0, 2]), st.sampled_from([0.0, 0.1, 5.0]))
def test_regularised_as_a_slow_search(
    shape: tuple[int, int, int, int], min_positives: int, penalty: float
) -> None:
    probabilities, truth = made(shape)
    config = Decision("per-label-regularised", step=0.0, min_positives=min_positives, penalty=penalty)
    found = thresholds(config, probabilities, truth)
    slow = slow_regularised(probabilities, truth, config)
    assert mean(probabilities, truth, found) == pytest.approx(mean(probabilities, truth, slow), abs=1e-9)
    assert found == pytest.approx(slow)


def test_regularised_holds_labels_back() -> None:
    logits, truth, _ = predictions(300)
    probabilities = 1 / (1 + np.exp(-logits.astype(np.float64)))
    start = best_threshold(probabilities, truth)
    free = np.array(thresholds(Decision("per-label-regularised"), probabilities, truth))
    held = np.array(thresholds(Decision("per-label-regularised", penalty=0.01), probabilities, truth))
    few = np.array(thresholds(Decision("per-label-regularised", min_positives=60), probabilities, truth))
    assert np.abs(held - start).sum() < np.abs(free - start).sum()
    assert set(few[truth.sum(axis=0) < 60].tolist()) == {start}
    assert mean(probabilities, truth, free) > mean(probabilities, truth, start)


def test_the_values_that_are_tried() -> None:
    column = np.array([0.0, 0.2, 0.5, 0.5], dtype=np.float32)
    assert grid(column, 0.1, 0.4).tolist() == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert grid(column, 0.0, 0.4).tolist() == pytest.approx([0.2])
    assert grid(column, 0.0, 1.0).tolist() == pytest.approx([0.5, 0.2])


def test_heuristic() -> None:
    truth = np.zeros((100, 4), dtype=bool)
    truth[:, 0] = True
    truth[:90, 1] = True
    truth[:1, 2] = True
    found = thresholds(Decision("heuristic"), np.zeros((100, 4)), truth)
    assert found == pytest.approx([0.5, 0.5 - 0.5 * np.log(100 / 90), 0.05, 0.05])
    assert thresholds(Decision("heuristic", scale=0.0), np.zeros((100, 4)), truth) == [0.5] * 4
    names = ("A", "B", "C", "D")
    half = fit_rule(Decision("heuristic"), np.zeros((1, 4)), truth[:1], names, train_truth=truth[89:91])
    assert isinstance(half.fitted, Thresholds)
    assert half.fitted.values[1] == pytest.approx(0.5 - 0.5 * np.log(2))


@pytest.mark.parametrize(("share", "many"), [(0.0, 0), (0.1, 10), (0.25, 25), (1.0, 100), (0.004, 0)])
def test_top_share(share: float, many: int) -> None:
    probabilities = np.random.default_rng(1).permutation(100).reshape(20, 5) / 100
    values = thresholds(Decision("top-share", share=share), probabilities, probabilities > 0.5)
    chosen = probabilities >= values
    assert chosen.sum() == many
    assert sorted(probabilities[chosen].tolist()) == sorted(probabilities.ravel().tolist())[100 - many :]


@pytest.mark.parametrize("k", [0, 1, 3, 5, 9])
def test_top_k(k: int) -> None:
    probabilities = np.random.default_rng(2).random((30, 5))
    chosen = TopK(k).decide(probabilities)
    assert set(chosen.sum(axis=1).tolist()) == {min(k, 5)}
    left = np.where(chosen, 2.0, probabilities).min(axis=1, initial=2), np.where(chosen, -1.0, probabilities)
    taken = np.where(chosen, probabilities, 2.0).min(axis=1)
    assert np.all(taken >= left[1].max(axis=1))


def test_fixed_reaches() -> None:
    assert thresholds(Decision("fixed", threshold=0.3), np.zeros((2, 3)), np.zeros((2, 3), bool)) == [0.3] * 3
    rule = fit_rule(Decision("fixed"), np.zeros((1, 2)), np.zeros((1, 2), bool), ("A", "B"))
    assert rule(np.array([[0.5, 0.49]])).tolist() == [[True, False]]


def test_a_threshold_is_not_rounded_to_float32() -> None:
    value = float(np.nextafter(np.float64(np.float32(0.3)), 1))  # rounds down to float32(0.3)
    rule = Thresholds(np.array([value]))
    assert not rule.decide(np.array([[0.3]], dtype=np.float32))[0, 0]
