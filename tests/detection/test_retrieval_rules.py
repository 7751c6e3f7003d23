"""What neighbours say, against rules written with sets and loops."""

from __future__ import annotations

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import UsageError
from radcap.detection.retrieval import (
    RETRIEVALS,
    Metric,
    NeighbourIndex,
    Neighbours,
    Retrieval,
    Tags,
    answer,
    answer_of,
    near_duplicates,
)

LABELS = tuple("ABCDEF")
TRUTH = np.random.default_rng(5).random((40, 6)) < 0.3
VECTORS = np.random.default_rng(6).normal(size=(40, 8)).astype(np.float32)
QUERIES = np.random.default_rng(7).normal(size=(9, 8)).astype(np.float32)
GROUPS = tuple(f"g{place // 2}" for place in range(40))


def index(metric: Metric = "cosine"):
    return NeighbourIndex.of(VECTORS, [str(place) for place in range(40)], LABELS, TRUTH, GROUPS, metric)


def sets_of(neighbours, row):
    places = neighbours.places[row][neighbours.there[row]]
    return [{code for code in range(6) if TRUTH[place, code]} for place in places]


@pytest.mark.parametrize("k", [1, 3, 10, 60])
def test_mean_at_k(k):
    neighbours = index().search(QUERIES, k)
    found = answer_of(index(), neighbours, Retrieval("mean-at-k", k=k))
    for row in range(len(QUERIES)):
        tags = sets_of(neighbours, row)
        counts = Counter(code for one in tags for code in one)
        many = int(sum(map(len, tags)) / len(tags) + 0.5)
        ranked = sorted(counts, key=lambda code: (-counts[code], -TRUTH[:, code].sum(), code))
        assert set(np.flatnonzero(found[row]).tolist()) == set(ranked[:many])


@pytest.mark.parametrize(("k", "share"), [(10, 0.3), (10, 0.5), (7, 1.0), (100, 0.3), (3, 0.01)])
def test_frequency(k, share):
    neighbours = index().search(QUERIES, k)
    found = answer_of(index(), neighbours, Retrieval("frequency", k=k, share=share))
    for row in range(len(QUERIES)):
        tags = sets_of(neighbours, row)
        counts = Counter(code for one in tags for code in one)
        assert set(np.flatnonzero(found[row]).tolist()) == {
            code for code in counts if counts[code] / len(tags) >= share - 1e-9
        }


@pytest.mark.parametrize("metric", ["cosine", "euclid"])
def test_probabilistic(metric):
    neighbours = index(metric).search(QUERIES, 10)
    found = answer_of(index(metric), neighbours, Retrieval("probabilistic", temperature=0.2, smoothing=0.5))
    for row in range(len(QUERIES)):
        scores, places = neighbours.scores[row].tolist(), neighbours.places[row].tolist()
        weights = [exp((score - scores[0]) / 0.2) for score in scores]
        for code in range(6):
            votes = sum(weight for weight, place in zip(weights, places, strict=True) if TRUTH[place, code])
            p = (votes + 0.5 * TRUTH[:, code].mean()) / (sum(weights) + 0.5)
            assert found[row, code] == pytest.approx(log(p / (1 - p)), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("metric", ["cosine", "euclid"])
def test_weighted(metric):
    neighbours = index(metric).search(QUERIES, 6)
    found = answer_of(index(metric), neighbours, Retrieval("weighted", k=6))
    for row in range(len(QUERIES)):
        scores, places = neighbours.scores[row].tolist(), neighbours.places[row].tolist()
        weights = [max(score, 0) if metric == "cosine" else 1 / (1 - score) for score in scores]
        for code in range(6):
            votes = sum(weight for weight, place in zip(weights, places, strict=True) if TRUTH[place, code])
            p = min(max(votes / sum(weights), 1e-7), 1 - 1e-7)
            assert found[row, code] == pytest.approx(log(p / (1 - p)), rel=1e-3, abs=1e-4)


def test_a_near_duplicate_gives_its_labels():
    asked = np.concatenate([VECTORS[4:6] * 2, QUERIES[:1]])
    found = answer(Retrieval("duplicate-answer", k=3), index(), asked)
    np.testing.assert_array_equal(found, [TRUTH[4], TRUTH[5], np.zeros(6, bool)])


@pytest.mark.parametrize("rule", RETRIEVALS.names)
def test_nobody_near_says_nothing(rule):
    found = answer_of(index(), Neighbours.none(2, 5), Retrieval(rule))
    assert found.shape == (2, 6)
    if found.dtype == bool:
        assert not found.any()
    elif rule == "probabilistic":  # the prior
        np.testing.assert_allclose(1 / (1 + np.exp(-found[0])), TRUTH.mean(axis=0), rtol=1e-4)
    else:
        assert (found < -16).all()


@pytest.mark.parametrize("rule", RETRIEVALS.names)
def test_an_empty_index_says_nothing(rule):
    empty = NeighbourIndex.of(VECTORS[:0], [], LABELS, TRUTH[:0])
    found = answer(Retrieval(rule), empty, QUERIES)
    assert found.shape == (9, 6)
    assert not (found > 0).any()


@pytest.mark.parametrize("rule", RETRIEVALS.names)
@pytest.mark.parametrize("approximate", [True, False])
def test_more_neighbours_than_there_are_images_are_all_of_them(rule, approximate):
    every, most = (Retrieval(rule, k=k, approximate=approximate) for k in (40, 10**15))
    found = answer(most, index(), QUERIES)
    np.testing.assert_allclose(found, answer(every, index(), QUERIES), rtol=1e-4, atol=1e-4)


def test_the_answer_leaves_out_groups_and_searches_as_asked():
    near = answer(Retrieval("mean-at-k", k=1), index(), VECTORS, GROUPS)
    for row in range(40):
        assert (
            near[row] == TRUTH[index().search(VECTORS[row : row + 1], 1, [GROUPS[row]]).places[0, 0]]
        ).all()
    quick = Retrieval("mean-at-k", k=1, engine="faiss", approximate=True)
    np.testing.assert_array_equal(answer(quick, index(), VECTORS), TRUTH)


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=6), st.data())
def test_votes_are_sums_over_neighbours(sets, data):
    truth = np.array([[code in one for code in range(5)] for one in sets])
    places = data.draw(st.lists(st.lists(st.integers(-1, len(sets) - 1), min_size=3, max_size=3), max_size=4))
    table = np.array(places, np.int64).reshape(-1, 3)
    weights = np.arange(table.size).reshape(table.shape) / 4
    found = Tags.of(truth).votes(table, weights)
    for row, near in enumerate(places):
        for code in range(5):
            wanted = sum(
                weights[row, at] for at, place in enumerate(near) if place >= 0 and truth[place, code]
            )
            assert found[row, code] == pytest.approx(wanted)


def test_tags_know_their_counts_and_shares():
    tags = Tags.of(TRUTH)
    assert len(tags) == 40
    np.testing.assert_array_equal(tags.counts, TRUTH.sum(axis=1))
    np.testing.assert_allclose(tags.shares, TRUTH.mean(axis=0))


@pytest.mark.parametrize(
    ("retrieval", "said"),
    [(Retrieval("mean-at-l"), "Nearest is 'mean-at-k'"), (Retrieval(metric="euclid"), "compares by cosine")],
)
def test_a_retrieval_that_does_not_fit_is_refused(retrieval, said):
    with pytest.raises(UsageError, match=said):
        answer(retrieval, index(), QUERIES)


def test_a_wrong_table_is_refused_with_every_reason():
    with pytest.raises(UsageError) as refused:
        Retrieval(k=0, share=1.5, temperature=0, smoothing=-1)
    for said in ("k is 0: give 1 or more", "share is 1.5", "temperature is 0", "smoothing is -1"):
        assert said in str(refused.value)


def test_near_duplicates_are_found_flagged_and_counted():
    asked = np.concatenate([VECTORS[:3], QUERIES])
    groups = ["g0", "other", "", *[""] * 9]
    found = near_duplicates(index(), asked, 0.999, groups)
    assert found.places.tolist() == [0, 1, 2, *[-1] * 9]
    assert found.same_group.tolist() == [True] + [False] * 11
    assert (found.count, found.leaks) == (3, 1)
    assert found.found.tolist() == [True] * 3 + [False] * 9
    assert str(found).startswith(
        "3 of 12 queries have a near duplicate in the index (score from 0.999 on), 1 of"
    )
    np.testing.assert_array_equal(
        answer_of(index(), found.neighbours, Retrieval("duplicate-answer"))[:4],
        [*TRUTH[:3], np.zeros(6, bool)],
    )


def test_the_guard_refuses_duplicates_of_the_own_group():
    found = near_duplicates(index(), VECTORS[:3], 0.999, ["g0", "other", ""], "refuse")
    assert found.places.tolist() == [-1, 1, 2]
    assert found.leaks == 0
    assert near_duplicates(index(), VECTORS[:3], 0.999).leaks == 0


def test_the_guard_needs_groups():
    with pytest.raises(UsageError, match="needs the groups"):
        near_duplicates(index(), VECTORS, guard="refuse")
