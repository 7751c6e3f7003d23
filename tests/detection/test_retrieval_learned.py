"""Weights of ranks by a genetic search: against brute force, and against neighbours that count alike."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from radcap.core import InputError, UsageError
from radcap.detection.decisions import sample_f1
from radcap.detection.retrieval import (
    NeighbourIndex,
    RankWeights,
    Retrieval,
    answer,
    learn_ranks,
    load_index,
    save_index,
    with_ranks,
)
from radcap.detection.retrieval import learned as module
from radcap.detection.retrieval.breeding import RankVotes, bred


def made(images: int = 120, seed: int = 0, copies: int = 1) -> tuple[NeighbourIndex, Any, Any]:
    """Images in a line whose next neighbour is telling and whose others are not."""
    draw = np.random.default_rng(seed)
    groups = images // copies
    spots = draw.normal(size=(groups // 2, 6))
    vectors = np.repeat(spots, 2, axis=0) + draw.normal(scale=0.01, size=(groups, 6))
    truth = np.repeat(draw.random((groups // 2, 8)) < 0.3, 2, axis=0) ^ (draw.random((groups, 8)) < 0.03)
    vectors, truth = np.repeat(vectors, copies, axis=0), np.repeat(truth, copies, axis=0)
    names = [f"i{row}" for row in range(len(truth))]
    own = [f"g{row // copies}" for row in range(len(truth))]
    index = NeighbourIndex.of(vectors.astype(np.float32), names, tuple("ABCDEFGH"), truth, own)
    return index, vectors.astype(np.float32), truth


def by_loops(index: NeighbourIndex, truth: Any, weights: Any, cut: float) -> float:
    """Leave-one-group-out F1 from sets and sums."""
    vectors = np.asarray(index.vectors, np.float64)
    total = 0.0
    for row in range(len(index)):
        others = [one for one in range(len(index)) if index.groups[one] != index.groups[row]]
        near = sorted(others, key=lambda one: (-float(np.float32(vectors[one] @ vectors[row])), one))
        near = near[: len(weights)]
        whole = sum(weights[: len(near)]) or 1.0
        chosen = {
            label
            for label in range(truth.shape[1])
            if sum(weight for one, weight in zip(near, weights, strict=False) if truth[one, label]) / whole
            >= cut - 1e-9
        }
        chosen = {label for label in chosen if any(truth[one, label] for one in near)}
        true = set(np.flatnonzero(truth[row]).tolist())
        both = len(chosen) + len(true)
        total += 2 * len(chosen & true) / both if both else 1.0
    return total / len(index)


def own_f1(index: NeighbourIndex, vectors: Any, truth: Any, k: int) -> float:
    logits = answer(Retrieval("learned", k=k), index, vectors, index.groups)
    return float(sample_f1(logits >= 0, truth).mean())


def test_scores_are_those_of_loops() -> None:
    index, vectors, truth = made(30)
    found = index.search(vectors, 3, index.groups)
    votes = RankVotes.of(index.tags, np.arange(30), found.places)
    tried = [(1.0, 0.5, 0.25, 0.4), (1.0, 1.0, 1.0, 0.34), (0.0, 0.5, 1.0, 0.9), (1.0, 0.0, 0.0, 0.5)]
    scores = votes.scores(np.array(tried, np.float32))
    np.testing.assert_allclose(scores, [by_loops(index, truth, one[:3], one[3]) for one in tried], atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_it_is_as_good_as_every_weight_of_a_grid(seed: int) -> None:
    index, vectors, truth = made(24, seed)
    ranks = learn_ranks(index, Retrieval("learned", k=2), seed)
    grid = [0.0, 0.5, 1.0]
    tried = ((weights, cut) for weights in product(grid, grid) if any(weights) for cut in (0.2, 0.5, 0.8))
    best = max(by_loops(index, truth, weights, cut) for weights, cut in tried)
    reached = own_f1(replace(index, ranks=ranks), vectors, truth, 2)
    assert reached >= best - 1e-9
    assert reached == pytest.approx(by_loops(index, truth, ranks.weights.tolist(), ranks.cut))


def test_it_beats_neighbours_that_count_alike_where_rank_matters() -> None:
    index, vectors, truth = made(120, copies=2)
    retrieval = Retrieval("learned", k=8)
    ranks = learn_ranks(index, retrieval, 1)
    assert ranks.weights.dtype == np.float32
    assert ranks.weights.sum() == pytest.approx(1)
    assert ranks.weights[:2].sum() > 0.5  # the two copies of the next image
    _, queries, wanted = made(120, copies=2)
    queries = queries + np.random.default_rng(9).normal(scale=0.01, size=queries.shape).astype(np.float32)
    logits = answer(retrieval, replace(index, ranks=ranks), queries, index.groups)
    alike = max(
        float(sample_f1(answer(retrieval, equal(index, 8, cut), queries, index.groups) >= 0, wanted).mean())
        for cut in np.arange(0.05, 1, 0.1)
    )
    assert sample_f1(logits >= 0, wanted).mean() > alike + 0.2
    again = learn_ranks(index, retrieval, 1)
    np.testing.assert_array_equal(again.weights, ranks.weights)
    assert again.cut == ranks.cut
    assert own_f1(replace(index, ranks=ranks), vectors, truth, 8) > 0.8


def equal(index: NeighbourIndex, k: int, cut: float) -> NeighbourIndex:
    return replace(index, ranks=RankWeights.equal(k, float(cut)))


def test_equal_weights_are_the_share_of_the_neighbours() -> None:
    index, vectors, _ = made(40)
    found = answer(Retrieval("learned", k=5), equal(index, 5, 0.3), vectors)
    shares = answer(Retrieval("frequency", k=5, share=0.3), index, vectors)
    np.testing.assert_array_equal(found >= 0, shares)
    np.testing.assert_array_equal(answer(Retrieval("learned", k=5, share=0.3), index, vectors), found)


def seen_votes(monkeypatch: pytest.MonkeyPatch, index: NeighbourIndex, k: int = 3) -> RankVotes:
    held: list[RankVotes] = []

    def spy(votes: RankVotes, seed: int) -> RankWeights:
        held.append(votes)
        return bred(votes, seed)

    monkeypatch.setattr(module, "bred", spy)
    learn_ranks(index, Retrieval("learned", k=k), 0)
    return held[0]


@pytest.mark.parametrize("groups", [(), ("",) * 12, tuple(str(row) for row in range(12))])
def test_an_image_is_no_neighbour_of_its_own(monkeypatch: pytest.MonkeyPatch, groups: Any) -> None:
    truth = np.eye(12, dtype=bool)  # only an image itself has its label
    vectors = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
    index = NeighbourIndex.of(vectors, [f"i{row}" for row in range(12)], tuple("ABCDEFGHIJKL"), truth, groups)
    votes = seen_votes(monkeypatch, index)
    assert (votes.cells.marks == 1).all()  # nothing is right
    assert votes.there.all()


def test_many_images_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    index = made(40)[0]
    assert len(seen_votes(monkeypatch, index).there) == 40
    monkeypatch.setattr(module, "_MOST_IMAGES", 7)
    assert len(seen_votes(monkeypatch, index).there) == 7
    monkeypatch.setattr(module, "_CELLS", 4 * 3 * 3 * 5)
    assert len(seen_votes(monkeypatch, index).there) == 5


@pytest.mark.parametrize("images", [0, 4])
def test_without_neighbours_all_count_alike(images: int) -> None:
    truth = np.ones((images, 2), bool)
    vectors = np.ones((images, 3), np.float32)
    index = NeighbourIndex.of(vectors, ["i"] * images, ("A", "B"), truth, ["g"] * images)
    for share, cut in ((0.4, 0.4), (1.0, 1 - 1e-6)):
        ranks = learn_ranks(index, Retrieval("learned", k=3, share=share), 0)
        assert ranks.weights.tolist() == pytest.approx([1 / 3] * 3)
        assert ranks.cut == cut


def test_queries_without_neighbours_get_nothing() -> None:
    index = equal(made(12)[0], 3, 0.5)
    one = replace(index, groups=("g",) * 12)
    logits = answer(Retrieval("learned", k=3), one, np.ones((2, 6), np.float32), ["g", "g"])
    assert (logits < -10).all()


def test_more_neighbours_than_there_are_images_are_learnt_as_all_of_them() -> None:
    index, vectors, _ = made(40)
    retrieval = Retrieval("learned", k=10**15)
    taught = with_ranks(index, retrieval, 0)
    assert taught.ranks is not None
    assert len(taught.ranks.weights) == 1024
    assert answer(retrieval, taught, vectors).shape == (40, 8)


def test_only_the_rule_that_learns_has_weights() -> None:
    index = made(12)[0]
    assert with_ranks(index, Retrieval("weighted"), 0) is index
    assert with_ranks(index, Retrieval("learned", k=2), 0).ranks is not None
    with pytest.raises(UsageError, match=r"learned weights of 3 neighbours, and k is 2\. .* train it again"):
        answer(Retrieval("learned", k=2), equal(index, 3, 0.5), np.ones((1, 6), np.float32))


@pytest.mark.parametrize("precision", ["float32", "float16", "int8"])
def test_weights_are_stored_with_the_index(precision: Any, tmp_path: Path) -> None:
    index, vectors, _ = made(40)
    index = with_ranks(index, Retrieval("learned", k=3), 0)
    save_index(index, tmp_path, precision)
    back = load_index(tmp_path)
    assert index.ranks is not None
    assert back.ranks is not None
    np.testing.assert_array_equal(back.ranks.weights, index.ranks.weights)
    assert back.ranks.cut == pytest.approx(index.ranks.cut)
    found, wanted = (answer(Retrieval("learned", k=3), one, vectors) >= 0 for one in (back, index))
    assert (found == wanted).mean() > 0.98
    save_index(replace(index, ranks=None), tmp_path, precision)  # as indices of other rules are
    assert set(load_file(tmp_path / "index.safetensors")).isdisjoint({"ranks", "cut"})
    assert load_index(tmp_path).ranks is None


CHANGES: dict[str, Any] = {
    "cut are missing": lambda a: a.pop("cut"),
    "ranks are missing": lambda a: a.pop("ranks"),
    "ranks have the shape (1, 3)": lambda a: a.update(ranks=a["ranks"][None]),
    "ranks are no weights from 0 on": lambda a: a.update(ranks=a["ranks"] - 1),
    "ranks are no weights from 0 on ": lambda a: a.update(ranks=a["ranks"] * np.float32(np.nan)),
    "ranks are no weights from 0 on  ": lambda a: a.update(ranks=a["ranks"][:0]),
    "ranks are no weights from 0 on   ": lambda a: a.update(ranks=a["ranks"].astype(np.int32)),
    "ranks are all 0": lambda a: a.update(ranks=a["ranks"] * 0),
    "the cut is no number between 0 and 1": lambda a: a.update(cut=a["cut"] + 1),
    "the cut is no number between 0 and 1 ": lambda a: a.update(cut=np.array([0.1, 0.2], np.float32)),
    "the cut is no number between 0 and 1  ": lambda a: a.update(cut=np.array([1], np.int32)),
}


@pytest.mark.parametrize("said", CHANGES)
def test_weights_that_are_none_are_refused(said: str, tmp_path: Path) -> None:
    save_index(with_ranks(made(12)[0], Retrieval("learned", k=3), 0), tmp_path)
    arrays = load_file(tmp_path / "index.safetensors")
    CHANGES[said](arrays)
    save_file(arrays, tmp_path / "index.safetensors")
    assert json.loads((tmp_path / "index.json").read_text())["version"] == 1
    with pytest.raises(InputError) as refused:
        load_index(tmp_path)
    assert said.rstrip() in str(refused.value)
