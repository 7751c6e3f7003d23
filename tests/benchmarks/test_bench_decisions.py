"""The benchmark of decisions runs at a tiny size, and every way decides the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.slow
def test_bench_decisions_finds_the_same_labels() -> None:
    done = run_script("bench_decisions.py", "--quick", "--images", "40")
    assert done.returncode == 0, done.stderr
    assert "| radcap `expected-f1`, all images |" in done.stdout
    assert "not at this size" in done.stdout


def test_predictions_come_from_the_seed_and_are_long_tailed(script: Callable[[str], Any]) -> None:
    ways = script("decision_ways")
    probabilities, truth = ways.synthetic_predictions(400)
    assert probabilities.shape == (400, ways.LABELS)
    np.testing.assert_array_equal(probabilities, ways.synthetic_predictions(400)[0])
    assert script("bench_decisions").LABELS == ways.LABELS
    assert 3 <= truth.sum(axis=1).mean() <= 4
    assert truth.mean(axis=0)[100:].max() < 0.05


def test_labels_are_taken_out_of_the_law(script: Callable[[str], Any]) -> None:
    there = [0.0, 0.2, 0.5, 0.9, 1.0]
    laws = [np.ones(1)]
    for p in there:
        laws.append(np.convolve(laws[-1], [1 - p, p]))
    for label, found in enumerate(script("decision_ways").loo_laws(laws[-1], np.array(there))):
        law = np.ones(1)
        for p in there[:label] + there[label + 1 :]:
            law = np.convolve(law, [1 - p, p])
        np.testing.assert_allclose(found, law, atol=1e-12)
