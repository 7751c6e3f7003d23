"""Neighbours that have concepts like those decided for, found by brute force, scipy and scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captioning_samples_training import Heard, captioner, detector, drawn, known_backbone, taught
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import AgglomerativeClustering

import radcap
from radcap.captioning.models import CaptionAnswers
from radcap.captioning.models.kin import Kin
from radcap.captioning.models.recall import LIKE, NONE_LIKE, Recall
from radcap.captioning.settings import (
    CaptionTrainSettings,
    ConditionSettings,
    DetectorSettings,
    GenerateSettings,
)
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.training.concept_clusters import concept_clusters, concept_vectors
from radcap.captioning.training.ward import ward_clusters
from radcap.core import InputError
from radcap.core.tables import parse_toml
from radcap.detection.models import open_model
from radcap.detection.retrieval import NeighbourIndex

__all__ = ["known_backbone"]


def partition(numbers: Any) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(numbers == one).tolist()) for one in set(numbers.tolist())}


@settings(max_examples=40)
@given(st.integers(2, 40), st.integers(1, 6), st.integers(1, 45), st.integers(0, 9))
def test_the_tree_is_cut_as_scipy_and_scikit_learn_cut_it(n: int, width: int, count: int, seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((n, width))
    found = ward_clusters(rows, count)
    assert partition(found) == partition(fcluster(linkage(rows, "ward"), min(count, n), "maxclust"))
    assert partition(found) == partition(AgglomerativeClustering(min(count, n)).fit_predict(rows))
    firsts = [found.tolist().index(one) for one in sorted(set(found.tolist()))]
    assert firsts == sorted(firsts)
    assert set(found.tolist()) == set(range(min(count, n)))


def test_rows_that_are_one_stay_together_and_none_have_no_cluster() -> None:
    rows = np.repeat(np.eye(3), [4, 1, 3], axis=0)
    assert ward_clusters(rows, 3).tolist() == [0] * 4 + [1] + [2] * 3
    assert ward_clusters(rows, 1).tolist() == [0] * 8
    assert ward_clusters(np.zeros((0, 3)), 2).tolist() == []
    assert ward_clusters(np.zeros((1, 3)), 2).tolist() == [0]


def drawn_truth(images: int, labels: int, seed: int = 0, share: float = 0.25) -> np.ndarray:
    return np.random.default_rng(seed).random((images, labels)) < share


def test_vectors_of_concepts_are_those_of_what_stands_together() -> None:
    truth = drawn_truth(60, 9)
    truth[:, 4] = False  # nobody has it
    counts = truth.T.astype(float) @ truth
    np.fill_diagonal(counts, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
        told = np.nan_to_num(np.maximum(np.log(counts / chance), 0), nan=0)
    left, values, _ = np.linalg.svd(told)
    plain = left * np.sqrt(np.where(values > 1e-9, values, 0))
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    plain /= np.where(lengths > 1e-9, lengths, 1)
    found = concept_vectors(truth)
    assert np.allclose(found @ found.T, plain @ plain.T, atol=1e-6)
    assert not found[4].any()


def test_concepts_of_the_same_images_are_one_cluster() -> None:
    truth = np.zeros((40, 8), np.bool_)
    truth[:20, :4] = drawn_truth(20, 4, share=0.8)
    truth[20:, 4:] = drawn_truth(20, 4, 1, share=0.8)
    assert concept_clusters(truth, 2) == (0, 0, 0, 0, 1, 1, 1, 1)
    assert len(concept_clusters(truth, 100)) == 8
    assert concept_clusters(np.zeros((3, 0), np.bool_), 2) == ()


LABELS = tuple(f"C{number}" for number in range(6))
GROUPS = [f"g{number // 2}" for number in range(30)]


def an_index(seed: int = 0) -> tuple[NeighbourIndex, np.ndarray]:
    truth = drawn_truth(30, 6, seed)
    vectors = np.random.default_rng(seed).standard_normal((30, 5)).astype(np.float32)
    ids = [f"i{number}" for number in range(30)]
    return NeighbourIndex.of(vectors, ids, LABELS, truth, GROUPS), truth


def by_hand(
    index: NeighbourIndex, truth: np.ndarray, kin: Kin, k: int, asked: tuple[np.ndarray, np.ndarray, str]
) -> list[int]:
    """Every image, one by one."""
    vector, decided, group = asked
    own = {kin.clusters[place] for place in np.flatnonzero(decided)} if kin.clusters else set()
    near: list[tuple[float, int]] = []
    for place in range(len(index)):
        theirs = {kin.clusters[one] for one in np.flatnonzero(truth[place])} if kin.clusters else set()
        if (theirs & own or not kin.clusters) and GROUPS[place] != group:
            unit = index.vectors[place]
            near.append((-float(unit @ vector / np.linalg.norm(vector)), place))
    kept: list[int] = []
    for _, place in sorted(near)[:k]:
        sizes = decided.sum() * truth[place].sum()
        cosine = (decided & truth[place]).sum() / np.sqrt(sizes) if sizes else 0.0
        kept += [place] if cosine >= kin.alike else []
    return kept


@settings(max_examples=60)
@given(
    st.integers(0, 5),
    st.sampled_from([(), (0, 0, 1, 1, 2, 2), (0, 1, 2, 3, 4, 5)]),
    st.sampled_from([0.0, 0.5, 0.9]),
    st.integers(1, 8),
)
def test_neighbours_are_those_found_one_by_one(
    seed: int, clusters: tuple[int, ...], alike: float, k: int
) -> None:
    index, truth = an_index(seed)
    kin = Kin(index, clusters, alike)
    vectors = np.random.default_rng(seed + 50).standard_normal((7, 5)).astype(np.float32)
    decided, groups = drawn_truth(7, 6, seed + 9), GROUPS[:14:2]
    found = kin.nearest(vectors, k, decided, groups)
    for row, asked in zip(found, zip(vectors, decided, groups, strict=True), strict=True):
        assert [place for place, _ in row] == by_hand(index, truth, kin, k, asked)
    for row, asked in zip(kin.nearest(vectors, k, decided), zip(vectors, decided, strict=True), strict=True):
        assert [place for place, _ in row] == by_hand(index, truth, kin, k, (*asked, ""))


def test_an_index_without_groups_has_parts_without() -> None:
    truth = drawn_truth(6, 6)
    index = NeighbourIndex.of(np.eye(6, dtype=np.float32), list("abcdef"), LABELS, truth)
    assert all(part.groups == () for _, part in Kin(index, (0,) * 6).parts.values())


def test_where_none_is_like_it_the_nearest_are_told_and_say_so() -> None:
    index, truth = an_index()
    recall = Recall(index, tuple(f"Caption {n}." for n in range(30)), Kin(index, (0, 0, 1, 1, 2, 2), 1.0))
    vectors = np.asarray(index.vectors[:2], np.float32)
    plain = recall.nearest(vectors, 2)
    decided = np.stack([truth[0], np.zeros(6, np.bool_)])
    like, none = recall.nearest(vectors, 2, decided=decided)
    assert like[0].image == "i0"
    assert {one.found for one in like} == {LIKE}
    assert [one.image for one in none] == [one.image for one in plain[1]]
    assert {one.found for one in none} == {NONE_LIKE}
    assert none[0].to_json()["found"] == NONE_LIKE
    assert "found" not in plain[0][0].to_json()


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


@pytest.mark.parametrize("clusters", [3, 0])
def test_a_captioner_is_told_neighbours_of_like_concepts(
    clusters: int, seer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[np.ndarray, list[str] | None]] = []
    plain = Recall.nearest

    def nearest(self: Recall, vectors: Any, k: int, groups: Any = None, decided: Any = None) -> Any:
        asked.append((decided, groups))
        return plain(self, vectors, k, groups, decided)

    monkeypatch.setattr(Recall, "nearest", nearest)
    heard = Heard()
    system = captioner(
        condition=ConditionSettings(neighbours=2, alike=0.9, clusters=clusters),
        detector=DetectorSettings(str(seer)),
        generate=GenerateSettings(method="greedy", longest=8),
        train=CaptionTrainSettings(epochs=1, batch=16, refit=True),
    )
    folder = taught(system, tmp_path / "m", talk=heard.talk)
    model = open_model(seer)
    for (decided, groups), split in zip(asked, ("train", "valid"), strict=False):
        answers = model.answers(drawn().split(split))  # its word, and not the truth
        assert np.array_equal(decided, answers.decided)
        assert groups == drawn().split(split).column("group").to_pylist()
    assert heard.has("No neighbour has like concepts, so the nearest are told: ")
    labels = folder.names()
    assert folder.has("clusters.json") == bool(clusters)
    if clusters:
        numbers = json.loads((folder.path / "clusters.json").read_text())
        assert list(numbers) == list(labels)
        assert set(numbers.values()) == {0, 1, 2}
        assert "clusters.json" in folder.card()["files"]
    told = radcap.predict(folder.path, drawn(), split="test")
    assert isinstance(told, CaptionAnswers)
    found = {one.found for line in told.lines for one in line.neighbours}
    assert found <= {LIKE, NONE_LIKE}
    assert all(line.neighbours for line in told.lines)
    index = folder.neighbours / "index.json"
    about = json.loads(index.read_text())
    for name, text, why in (
        ("clusters.json", "{}", "no number for each label"),
        ("neighbours/index.json", json.dumps({**about, "labels": about["labels"][::-1]}), "another model"),
    ):
        if (folder.path / name).exists():
            before = (folder.path / name).read_text()
            (folder.path / name).write_text(text)
            card = folder.card()
            folder.write_card({**card, "files": {}})
            with pytest.raises(InputError, match=why):
                radcap.predict(folder.path, drawn(), split="test")
            (folder.path / name).write_text(before)


@pytest.mark.parametrize("key", ["alike = 0.9", "clusters = 4"])
def test_what_chooses_neighbours_needs_some(key: str) -> None:
    text = f"name = 'x'\ntask = 'captions'\n[detector]\nmodel = 'zoo:concepts'\n[condition]\n{key}"
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(text))
    (issue,) = caught.value.issues
    assert "alike and clusters choose neighbours, and neighbours is 0" in issue.message
