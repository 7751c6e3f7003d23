"""Classic learners against scikit-learn, XGBoost and plain loops."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch
import xgboost
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from radcap.core import Missing, UsageError
from radcap.detection.learners import LEARNERS, Learner, fit_learner
from radcap.detection.learners import boosted as boosting
from radcap.detection.learners.against_rest import against_rest
from radcap.detection.learners.descent import MARGIN, descend
from radcap.detection.learners.grove import Grove
from radcap.detection.learners.learner import prior_logits
from radcap.detection.learners.linear import Scaling
from radcap.detection.learners.planting import at_most, below
from radcap.detection.learners.tree_learner import TreeLearner

KINDS = sorted(LEARNERS.names)


def sample(images: int = 240, width: int = 12, labels: int = 5, seed: int = 0):
    """Labels that follow from features of several sizes, with noise; frequent ones and rare ones."""
    draw = np.random.default_rng(seed)
    vectors = (draw.normal(size=(images, width)) * draw.uniform(0.1, 9, width) + 3).astype(np.float32)
    scores = (vectors - vectors.mean(0)) / vectors.std(0) @ draw.normal(size=(width, labels))
    truth = scores + draw.normal(size=scores.shape) > np.linspace(-1, 5, labels)
    return vectors, truth


def settings(kind: str, **given) -> Learner:
    return Learner(kind=kind, **{"trees": 6, "depth": 4, "leaf": 3, **given})


def sigmoid(logits):
    return 1 / (1 + np.exp(-logits.astype(np.float64)))


@pytest.mark.parametrize("strength", [0.01, 1.0, 10.0])
def test_logistic_is_that_of_scikit_learn(strength):
    vectors, truth = sample()
    mine = fit_learner(settings("logistic", strength=strength), vectors, truth).logits(vectors)
    scaled = StandardScaler().fit_transform(vectors.astype(np.float64))
    for label in range(5):
        theirs = LogisticRegression(C=strength, tol=1e-8, max_iter=2000).fit(scaled, truth[:, label])
        np.testing.assert_allclose(mine[:, label], theirs.decision_function(scaled), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("strength", [0.01, 1.0, 10.0])
def test_support_vectors_are_those_of_scikit_learn(strength):
    vectors, truth = sample()
    mine = fit_learner(settings("svm", strength=strength), vectors, truth).logits(vectors)
    scaled = StandardScaler().fit_transform(vectors.astype(np.float64))
    for label in range(5):
        # an offset so far away that its size costs nothing
        theirs = LinearSVC(C=strength, tol=1e-10, max_iter=100_000, intercept_scaling=300)
        margins = theirs.fit(scaled, truth[:, label]).decision_function(scaled)
        slope, offset = np.polyfit(margins, mine[:, label], 1)
        assert slope > 0
        np.testing.assert_allclose(mine[:, label], slope * margins + offset, atol=0.02)


def test_support_vectors_rest_on_no_image_that_is_safe():
    """An image beyond its margin may lie anywhere there."""
    vectors, truth = (
        np.array([[-1.0], [1.0], [5.0], [-5.0]], np.float32),
        np.array([[0], [1], [1], [0]], bool),
    )
    theta = against_rest(Scaling.of(vectors).apply(vectors), truth, 1e6, MARGIN)
    margins = Scaling.of(vectors).apply(vectors) @ theta
    np.testing.assert_allclose(margins[:, 0], [-1, 1, 5, -5], atol=1e-2)


@pytest.mark.parametrize("kind", ["logistic", "svm"])
def test_a_label_does_not_depend_on_those_beside_it(kind, monkeypatch):
    vectors, truth = sample()
    together = fit_learner(settings(kind), vectors, truth).logits(vectors)
    monkeypatch.setattr("radcap.detection.learners.against_rest._TOGETHER", 2)
    np.testing.assert_allclose(
        fit_learner(settings(kind), vectors, truth).logits(vectors), together, atol=2e-3
    )


def test_logistic_ends_where_all_is_separable():
    vectors = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
    truth = np.array([[0], [0], [1], [1]], bool)
    strong = fit_learner(settings("logistic", strength=1e6), vectors, truth).logits(vectors)
    assert np.isfinite(strong).all()
    assert ((strong > 0) == truth).all()


def test_descent_that_is_cut_short_is_on_its_way():
    vectors, truth = sample(labels=1)
    x = torch.from_numpy(Scaling.of(vectors).apply(vectors))
    y = torch.from_numpy(truth.astype(np.float32))

    def value(rounds: int) -> float:
        theta = descend(x, y, 1.0, torch.zeros(13, 1), rounds)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ theta, y, reduction="sum")
        return float(loss + theta[:-1].square().sum() / 2)

    found = [value(rounds) for rounds in (0, 1, 2, 5, 300)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[2] > found[4]


def plain_perceptron(x, signs, rounds, seed, together):
    """Averaged perceptrons by loops over labels and images."""
    chance = np.random.default_rng(seed)
    theta = [np.zeros(x.shape[1]) for _ in range(signs.shape[1])]
    sums, steps = [np.zeros(x.shape[1]) for _ in theta], 0
    for _ in range(rounds):
        order = chance.permutation(len(x))
        for start in range(0, len(x), together):
            steps += 1
            for label, before in enumerate(theta):
                for image in order[start : start + together]:
                    if signs[image, label] * (before @ x[image]) <= 0:
                        theta[label] = theta[label] + signs[image, label] * x[image]
                sums[label] += theta[label]
    return np.stack(sums, axis=1) / steps


@pytest.mark.parametrize("together", [1, 32])
def test_perceptrons_are_those_of_a_plain_loop(monkeypatch, together):
    from radcap.detection.learners import perceptron

    monkeypatch.setattr(perceptron, "_TOGETHER", together)
    draw = np.random.default_rng(3)
    x = np.hstack([draw.integers(-3, 4, (50, 4)), np.ones((50, 1))]).astype(np.float32)
    signs = np.where(draw.random((50, 3)) < 0.4, 1, -1).astype(np.float32)
    np.testing.assert_allclose(
        perceptron._averaged(x, signs, 3, 7), plain_perceptron(x, signs, 3, 7, together), rtol=1e-5
    )


def test_labels_that_are_learnt_in_parts_are_those_of_all_at_once(monkeypatch):
    from radcap.detection.learners import perceptron

    draw = np.random.default_rng(3)
    vectors = draw.integers(-3, 4, (60, 4)).astype(np.float32)
    vectors[::2] = 4 - vectors[1::2]
    truth = draw.random((60, 11)) < 0.4
    whole, widths = fit_learner(settings("perceptron"), vectors, truth), list[int]()
    learn = perceptron._averaged

    def heard(x, signs, rounds, seed):
        widths.append(signs.shape[1])
        return learn(x, signs, rounds, seed)

    monkeypatch.setattr(perceptron, "_LABELS", 4)
    monkeypatch.setattr(perceptron, "_averaged", heard)
    parts = fit_learner(settings("perceptron"), vectors, truth)
    assert widths == [4, 4, 3]
    np.testing.assert_allclose(parts.logits(vectors), whole.logits(vectors), rtol=1e-4, atol=1e-5)


def test_margins_become_the_log_odds_of_two_normal_laws():
    """Linear discriminant analysis in one dimension, written out."""
    from radcap.detection.learners.margins import _log_odds

    draw = np.random.default_rng(0)
    truth = draw.random((400, 1)) < 0.3
    margins = np.where(truth, 4.0, 1.0) + draw.normal(0, 2, (400, 1))
    slope, offset = _log_odds(margins, truth)
    high, low = margins[truth].mean(), margins[~truth].mean()
    spread = np.mean((margins - np.where(truth, high, low)) ** 2)
    prior = np.log((truth.sum() + 0.5) / ((~truth).sum() + 0.5))
    wanted = prior + (high - low) / spread * (margins - (high + low) / 2)
    np.testing.assert_allclose(margins * slope + offset, wanted, rtol=1e-5)


def test_a_perceptron_finds_what_can_be_parted():
    draw = np.random.default_rng(1)
    vectors = draw.normal(size=(200, 5)).astype(np.float32)
    score = vectors @ np.array([1.0, -2, 0.5, 0, 0])
    kept = abs(score) > 0.5
    logits = fit_learner(settings("perceptron"), vectors[kept], (score > 0)[kept, None]).logits(vectors[kept])
    assert ((logits[:, 0] > 0) == (score[kept] > 0)).mean() > 0.97
    assert abs(logits).max() < 40


def test_trees_are_those_of_scikit_learn():
    vectors, truth = sample()
    fresh = sample(seed=4)[0]
    fitted = fit_learner(settings("trees", seed=3), vectors, truth)
    assert isinstance(fitted, TreeLearner)
    for label in range(5):
        tree: Any = DecisionTreeClassifier(max_depth=4, min_samples_leaf=3, random_state=3)
        wanted = tree.fit(vectors, truth[:, label]).predict_proba(fresh)[:, 1]
        np.testing.assert_allclose(fitted.grove.total(fresh)[:, label], wanted, atol=1e-6)
        drawn = 0.95 * wanted + 0.05 * (truth[:, label].sum() + 0.5) / (len(truth) + 1)
        np.testing.assert_allclose(sigmoid(fitted.logits(fresh))[:, label], drawn, atol=1e-6)


@pytest.mark.parametrize("labels", [1, 5])
def test_a_forest_is_that_of_scikit_learn(labels):
    vectors, truth = sample(labels=labels)
    fresh = sample(seed=4)[0]
    fitted = fit_learner(settings("forest", seed=3), vectors, truth)
    assert isinstance(fitted, TreeLearner)
    forest = RandomForestClassifier(6, max_depth=4, min_samples_leaf=3, random_state=3)
    told = forest.fit(vectors, truth if labels > 1 else truth[:, 0]).predict_proba(fresh)
    told = told if labels > 1 else [told]
    for label in range(labels):
        np.testing.assert_allclose(fitted.grove.total(fresh)[:, label], told[label][:, 1], atol=1e-6)


@pytest.mark.parametrize("labels", [1, 5])
def test_boosted_trees_are_those_of_xgboost(labels):
    """Rounds that go on from margins are one booster; where features are few, each round sees them all."""
    vectors, truth = sample(labels=labels)
    fresh = sample(seed=4)[0]
    fitted = fit_learner(settings("boosted", rate=0.4), vectors, truth)

    def data(some, **more):
        margins = np.tile(prior_logits(truth), (len(some), 1))
        return xgboost.DMatrix(some, base_margin=margins, nthread=1, **more)

    booster = xgboost.train(
        {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "max_depth": 4,
            "eta": 0.4,
            "max_bin": 32,
            "nthread": 1,
        },
        data(vectors, label=truth.astype(np.float32)),
        num_boost_round=6,
    )
    wanted = booster.predict(data(fresh), output_margin=True).reshape(len(fresh), labels)
    np.testing.assert_allclose(fitted.logits(fresh), wanted, atol=1e-4)


def test_each_round_of_boosting_looks_at_a_draw_of_many_features(monkeypatch):
    vectors, truth = sample(width=30)
    monkeypatch.setattr(boosting, "_LOOKED_AT", 8)
    fitted = fit_learner(settings("boosted", trees=12), vectors, truth)
    assert isinstance(fitted, TreeLearner)
    grove = fitted.grove
    inner = grove.left != np.arange(len(grove.left))
    assert len(np.unique(grove.features[inner])) > 16  # over the rounds
    first = grove.roots[::12]  # the first tree of each label
    ends = np.append(grove.roots, len(grove.left))
    seen = np.concatenate([grove.features[a:b][inner[a:b]] for a, b in zip(first, ends[1::12], strict=True)])
    assert len(np.unique(seen)) <= 8  # of one round, whatever the label
    margins = fitted.logits(vectors)
    assert np.mean((margins > 0) == truth) > np.mean((prior_logits(truth) > 0) == truth)


def test_ways_are_those_of_a_plain_walk():
    """Thresholds that are met exactly, and numbers that are none."""
    grove = Grove(
        features=np.array([1, 0, 0, 0, 0]),
        thresholds=np.array([2, 0.5, np.inf, np.inf, np.inf], np.float32),
        left=np.array([1, 3, 2, 3, 4]),
        rows=np.array([0, 0, 0, 1, 2]),
        roots=np.array([0]),
        values=np.array([[10], [20], [30]], np.float32),
        labels=1,
    )
    vectors = np.array([[0.5, 2], [0.6, 2], [0, 2.1], [np.nan, 0], [np.inf, np.inf]], np.float32)
    assert grove.total(vectors)[:, 0].tolist() == [20, 30, 10, 20, 10]
    assert grove.total(vectors[:0]).shape == (0, 1)
    assert grove.depth == 2


def test_thresholds_are_rounded_to_the_safe_side():
    draw = np.random.default_rng(0)
    wide = draw.normal(size=1000)
    near = wide.astype(np.float32)
    for x in (near, np.nextafter(near, np.float32(9)), np.nextafter(near, np.float32(-9))):
        np.testing.assert_array_equal(x.astype(np.float64) <= wide, x <= at_most(wide))
        np.testing.assert_array_equal(x < near, x <= below(near))


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_all_images_or_of_none_and_features_that_stand_still(kind):
    vectors, truth = sample()
    vectors[:, 3] = 1e6
    truth[:, 1], truth[:, 2] = True, False
    logits = fit_learner(settings(kind), vectors, truth).logits(vectors)
    assert logits.shape == truth.shape
    assert logits.dtype == np.float32
    assert np.isfinite(logits).all()
    assert (logits[:, 1] > 3).all()
    assert (logits[:, 2] < -3).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("images", [1, 2])
def test_one_image_or_two_are_enough(kind, images):
    vectors, truth = sample(labels=1)
    logits = fit_learner(settings(kind), vectors[:images], truth[:images]).logits(vectors)
    assert logits.shape == (240, 1)
    assert np.isfinite(logits).all()


@pytest.mark.parametrize("kind", KINDS)
def test_images_and_features_that_are_all_alike_leave_the_prior(kind):
    truth = sample()[1]
    vectors = np.full((240, 3), 0.3, np.float32)
    logits = fit_learner(settings(kind), vectors, truth).logits(vectors)
    assert abs(sigmoid(logits) - truth.mean(0)).max() < 0.06  # a forest draws its images


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_fits_the_same(kind):
    vectors, truth = sample()
    one, two = (fit_learner(settings(kind, seed=2), vectors, truth).arrays() for _ in range(2))
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize("kind", ["perceptron", "forest", "boosted"])
def test_a_learner_without_a_seed_takes_that_of_the_training(kind):
    vectors, truth = sample(width=300)  # of which a boosted round looks at some

    def logits(own, given):
        return fit_learner(settings(kind, seed=own), vectors, truth, given).logits(vectors)

    np.testing.assert_array_equal(logits(None, 5), logits(5, 9))
    np.testing.assert_array_equal(logits(0, 5), logits(None, 0))
    assert (logits(None, 5) != logits(0, 5)).any()


@pytest.mark.parametrize("kind", KINDS)
def test_each_learns_more_than_the_prior(kind):
    vectors, truth = sample(images=600)
    logits = fit_learner(settings(kind, trees=20), vectors[:400], truth[:400]).logits(vectors[400:])
    held = truth[400:]

    def loss(scores):
        return float(np.mean(np.logaddexp(0, scores) - held * scores))

    assert loss(logits) < 0.95 * loss(np.tile(prior_logits(truth[:400]), (200, 1)))


def test_nothing_to_learn_from_is_refused():
    with pytest.raises(UsageError, match=r"no images for \[learner\]"):
        fit_learner(Learner(), np.zeros((0, 3), np.float32), np.zeros((0, 2), bool))
    with pytest.raises(UsageError, match="hold no numbers"):
        fit_learner(Learner(), np.full((2, 3), np.nan, np.float32), np.zeros((2, 2), bool))


@pytest.mark.parametrize(
    ("kind", "package", "module"),
    [
        ("trees", "scikit-learn", "sklearn"),
        ("forest", "scikit-learn", "sklearn"),
        ("boosted", "XGBoost", "xgboost"),
    ],
)
def test_a_package_that_is_not_there_is_named(monkeypatch, kind, package, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Missing, match=rf"{package} is missing.*radcap\[train\]"):
        fit_learner(settings(kind), *sample())
