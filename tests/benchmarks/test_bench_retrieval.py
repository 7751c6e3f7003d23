"""The benchmark of neighbours runs at a tiny size, and what it calls exact is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench_files import run_script

from radcap.detection.retrieval import NeighbourIndex, Neighbours

if TYPE_CHECKING:
    from collections.abc import Callable

    Script = Callable[[str], Any]


@pytest.mark.slow
def test_bench_retrieval_finds_the_same_neighbours() -> None:
    done = run_script("bench_retrieval.py", "--quick", "--images", "60")
    assert done.returncode == 0, done.stderr
    for way in ("radcap, exact", "faiss IndexFlatIP, exact", "scikit-learn, brute force"):
        row = next(line for line in done.stdout.splitlines() if line.startswith(f"| {way} |"))
        assert "| 1.0000 |" in row
    assert "| radcap, approximate |" in done.stdout
    assert "| 240 x 1,280 |" in done.stdout
    assert "not at this size" in done.stdout


@pytest.fixture
def index(script: Script) -> NeighbourIndex:
    (vectors,) = script("synthetic_embeddings").embeddings((50,))
    return NeighbourIndex.of(vectors, [""] * 50, ["A"], np.ones((50, 1), bool))


@pytest.mark.parametrize("wrong", [0.01, float("nan")])
def test_a_search_that_is_not_exact_fails_loudly(script: Script, index: NeighbourIndex, wrong: float) -> None:
    ways = script("retrieval_ways")
    queries = index.vectors[:5]
    found = index.search(queries, ways.K)
    ways.check_exact(index, queries, found)
    with pytest.raises(script("stopwatch").Failed, match="not exact"):
        ways.check_exact(index, queries, Neighbours(found.places, found.scores + np.float32(wrong)))


def test_recall_counts_neighbours_whatever_their_order(script: Script) -> None:
    scores = np.zeros((2, 2), np.float32)
    exact = Neighbours(np.array([[1, 2], [3, 4]]), scores)
    found = Neighbours(np.array([[2, 1], [3, 9]]), scores)
    assert script("retrieval_ways").recall(found, exact) == 0.75


def test_what_ran_for_some_queries_is_scaled(script: Script) -> None:
    ways, bench = script("retrieval_ways"), script("bench_retrieval")
    ours, theirs = ways.Way("ours", (2.0, 4.0), 1.0), ways.Way("theirs", (1.0,), 0.5, scale=60)
    assert bench._row(ours, ours, 300) == ("ours", "3.00 (4.00)", "100", "1.0000", "")
    assert bench._row(theirs, ours, 300) == ("theirs", "60.0", "5", "0.5000", "20x")


def test_embeddings_come_from_the_seed_and_share_clusters(script: Script) -> None:
    made = script("synthetic_embeddings")
    (first, other), (again, _) = made.embeddings((300, 40)), made.embeddings((300, 40))
    assert first.shape == (300, made.DIMENSIONS)
    np.testing.assert_array_equal(first, again)
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (first, other)]
    assert np.median((unit[1] @ unit[0].T).max(axis=1)) > 0.4
