"""Fusion of searches and of logits, against sums written out."""

from __future__ import annotations

import numpy as np
import pytest

from radcap.core import UsageError
from radcap.detection.retrieval import Neighbours, fit_fusion, fuse, fuse_logits, fuse_shares


def near(places, scores):
    return Neighbours(np.array(places, np.int64), np.array(scores, np.float32))


def test_late_fusion_adds_normalised_similarity():
    one = near([[1, 2, 3], [5, -1, -1]], [[0.9, 0.7, 0.5], [0.3, -np.inf, -np.inf]])
    other = near([[3, 2], [6, 5]], [[10, 9], [4, 4]])
    fused = fuse([one, other], k=3)
    # one: 1, 2/3, 1/3 of (span .4 and a step of .2); other: 1, 1/2
    assert fused.places.tolist() == [[3, 2, 1], [5, 6, -1]]
    np.testing.assert_allclose(fused.scores[0], [(1 / 3 + 1) / 2, (2 / 3 + 1 / 2) / 2, 0.5], rtol=1e-6)
    np.testing.assert_allclose(fused.scores[1], [1.0, 0.5, -np.inf])


def test_weights_decide_who_is_heard():
    one, other = near([[1, 2]], [[1, 0]]), near([[7, 8]], [[1, 0]])
    assert fuse([one, other], (1, 0), k=2).places.tolist() == [[1, 2]]
    assert fuse([one, other], (1, 3), k=1).places.tolist() == [[7]]
    assert fuse([one], k=5).places.tolist() == [[1, 2, -1, -1, -1]]


def test_nothing_fused_with_nothing_is_nothing():
    assert fuse([Neighbours.none(2, 3), Neighbours.none(2, 1)], k=2).places.tolist() == [[-1, -1]] * 2


def test_fusion_agrees_with_a_dictionary():
    draw = np.random.default_rng(0)
    searches = [
        near(
            [draw.choice(30, 6, replace=False) for _ in range(20)],
            -np.sort(-draw.random((20, 6)).astype(np.float32), axis=1),
        )
        for _ in range(3)
    ]
    fused = fuse(searches, (1, 2, 3), k=10)
    for row in range(20):
        sums: dict[int, float] = {}
        for one, weight in zip(searches, (1, 2, 3), strict=True):
            scores = one.scores[row].astype(float)
            whole = (scores[0] - scores[-1]) * 6 / 5
            for place, score in zip(one.places[row].tolist(), scores, strict=True):
                sums[place] = sums.get(place, 0) + weight / 6 * (1 - (scores[0] - score) / whole)
        best = sorted(sums, key=lambda place: (-sums[place], place))[:10]
        np.testing.assert_allclose(fused.scores[row], [sums[place] for place in best], rtol=1e-5)
        assert fused.places[row].tolist() == best


def test_shares_are_averaged():
    found = fuse_shares([np.array([[0.0, 1.0]]), np.array([[1.0, 1.0]])], (3, 1))
    np.testing.assert_allclose(found, [[0.25, 1.0]])
    assert found.dtype == np.float32


def test_logits_are_mixed_with_a_weight_that_is_fitted():
    draw = np.random.default_rng(1)
    hidden = draw.normal(-1, 2, (400, 6))
    truth = draw.random(hidden.shape) < 1 / (1 + np.exp(-hidden))
    classifier = (hidden + draw.normal(size=hidden.shape)).astype(np.float32)
    retrieved = (hidden + draw.normal(size=hidden.shape)).astype(np.float32)
    weight = fit_fusion(classifier, retrieved, truth)
    losses = [
        np.logaddexp(0, np.where(truth, -1, 1) * fuse_logits(classifier, retrieved, share)).mean()
        for share in np.linspace(0, 1, 101)
    ]
    assert weight == pytest.approx(np.linspace(0, 1, 101)[np.argmin(losses)], abs=0.03)
    assert fit_fusion(classifier, np.zeros_like(classifier) - 9, truth, "sample-f1") < 0.2


@pytest.mark.parametrize("weights", [(1,), (1, -1), (0, 0), (float("nan"), 1)])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(UsageError, match="one weight from 0 on"):
        fuse([near([[1]], [[1]])] * 2, weights)


def test_nothing_to_fuse_is_refused():
    with pytest.raises(UsageError, match="0 things"):
        fuse([])


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_wrong_share_is_refused(weight):
    with pytest.raises(UsageError, match="from 0 to 1"):
        fuse_logits(np.zeros((1, 1), np.float32), np.zeros((1, 1), np.float32), weight)
