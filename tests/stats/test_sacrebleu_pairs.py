"""Our paired tests against those of sacrebleu, on a metric that is the mean of given values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest

from radcap.stats import paired_bootstrap_p, permutation, resampled_means, sign_flip_test

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEED = 12345  # the one sacrebleu takes unless told otherwise


class MeanSignature(Signature):
    def __init__(self, args: dict[str, Any]) -> None:
        super().__init__({"num_refs": 1, **args})


class Mean(Metric):
    """A segment is a number in text; the score is the mean."""

    _SIGNATURE_TYPE = MeanSignature

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: object) -> list[list[float]]:
        return [[float(one), 1.0] for one in hypotheses]

    def _aggregate_and_compute(self, stats: Any) -> Score:
        return self._compute_score_from_stats(np.sum(stats, axis=0))

    def _compute_score_from_stats(self, stats: Any) -> Score:
        return Score("mean", float(stats[0]) / float(stats[1]))

    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[float]:
        return [float(hypothesis), 1.0]


def their_p(runs: np.ndarray, kind: str, draws: int) -> list[float]:
    """p of every later run against the first."""
    systems: list[tuple[str, Sequence[str]]] = [
        (str(run), [repr(one) for one in column]) for run, column in enumerate(runs.T.tolist())
    ]
    results: Any = PairedTest(systems, {"mean": Mean()}, None, test_type=kind, n_samples=draws)()[1]["mean"]
    return [result.p_value for result in results[1:]]


@pytest.fixture
def runs() -> np.ndarray:
    """Four runs over 240 images, from alike to clearly apart; in 64ths, which even float32 adds exactly."""
    generator = np.random.default_rng(21)
    base = generator.random((240, 1))
    noisy = base + generator.normal(0, 0.2, (240, 4)) + np.array([0.0, 0.002, 0.02, 0.05])
    return np.round(np.clip(noisy, 0, 1) * 64) / 64


def one_sided(differences: np.ndarray, observed: float) -> float:
    """The p that sacrebleu forms: sizes are centred, and only an excess counts."""
    sizes = np.abs(differences)
    return (int(np.count_nonzero(sizes - sizes.mean() > abs(observed))) + 1) / (len(sizes) + 1)


def test_our_resamples_are_those_of_sacrebleu(runs: np.ndarray) -> None:
    means = resampled_means(runs, resamples=1_000, seed=SEED)
    apart = runs.mean(axis=0)[0] - runs.mean(axis=0)
    ours = [one_sided(means[:, 0] - means[:, run], float(apart[run])) for run in (1, 2, 3)]
    assert ours == their_p(runs, "bs", 1_000)


def test_sacrebleu_counts_one_side_and_has_the_smaller_p(runs: np.ndarray) -> None:
    means = resampled_means(runs, resamples=1_000, seed=SEED)
    apart = runs.mean(axis=0)[0] - runs.mean(axis=0)
    ours = [paired_bootstrap_p(means[:, 0] - means[:, run], float(apart[run])) for run in (1, 2, 3)]
    theirs = their_p(runs, "bs", 1_000)
    assert all(wide > narrow for wide, narrow in zip(ours, theirs, strict=True))


def test_the_sign_flip_test_equals_sacrebleu_on_the_same_draws(
    runs: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values without ties, because sacrebleu counts only draws that are further apart than observed."""
    runs = runs + np.random.default_rng(1).random(runs.shape) / 1_000

    def their_draws(images: int, permutations: int, seed: int) -> Iterator[np.ndarray]:
        yield np.random.default_rng(seed).integers(2, size=(permutations, images), dtype=bool).astype(float)

    monkeypatch.setattr(permutation, "_random_flips", their_draws)
    ours = sign_flip_test(runs[:, None], permutations=2_000, seed=SEED)
    assert ours.p[0, 0, 1:].tolist() == their_p(runs, "ar", 2_000)


def test_the_sign_flip_test_is_near_sacrebleu_on_our_own_draws(runs: np.ndarray) -> None:
    theirs = np.array(their_p(runs, "ar", 4_000))
    ours = sign_flip_test(runs[:, None], permutations=4_000, seed=1).p[0, 0, 1:]
    spread = np.sqrt(2 * theirs * (1 - theirs) / 4_000)
    assert (np.abs(ours - theirs) <= 4 * spread).all()


def test_on_a_run_and_itself_we_depart_from_sacrebleu(runs: np.ndarray) -> None:
    """Its tests call a run different from itself, with the smallest p there is."""
    twice = runs[:, [0, 0]]
    assert their_p(twice, "ar", 99) == their_p(twice, "bs", 99) == [0.01]
    means = resampled_means(twice, resamples=99, seed=SEED)
    assert paired_bootstrap_p(means[:, 0] - means[:, 1], 0.0) == 1.0
    assert sign_flip_test(twice[:, None], permutations=99, seed=SEED).p[0, 0, 1] == 1.0
