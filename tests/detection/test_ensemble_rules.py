"""Rules of ensembles against arithmetic written out, and their laws."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from radcap.core import UsageError
from radcap.detection.ensembles import ENSEMBLES, Ensemble, combine, ensemble_rule

DECISIONS = arrays(bool, st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(0, 4)))
LOGITS = np.array([[[-2.0, 0.5, 3.0]], [[1.0, -0.5, -30.0]], [[0.0, 4.0, 40.0]]], np.float32)
NAMES = ("a", "b", "c")


@given(DECISIONS)
def test_votes_lie_between_union_and_intersection(decided):
    members = len(decided)
    votes = [combine(Ensemble("votes", votes=needed), decided) for needed in range(1, members + 1)]
    assert (votes[0] == combine(Ensemble("union"), decided)).all()
    assert (votes[-1] == combine(Ensemble("intersection"), decided)).all()
    assert all((fewer >= more).all() for fewer, more in pairwise(votes))
    majority = combine(Ensemble("majority"), decided)
    assert (majority == votes[members // 2]).all()
    assert (votes[-1] <= majority).all()
    assert (majority <= votes[0]).all()


@given(DECISIONS)
def test_votes_are_counted_cell_by_cell(decided):
    members, images, labels = decided.shape
    for needed in range(1, members + 1):
        found = combine(Ensemble("votes", votes=needed), decided)
        for image in range(images):
            for label in range(labels):
                said = sum(bool(decided[member, image, label]) for member in range(members))
                assert found[image, label] == (said >= needed)


@given(DECISIONS)
def test_fallback_takes_the_first_answer(decided):
    found = combine(Ensemble("fallback"), decided)
    for image in range(decided.shape[1]):
        answers = [member[image] for member in decided if member[image].any()]
        wanted = answers[0] if answers else np.zeros(decided.shape[2], bool)
        assert (found[image] == wanted).all()


def test_mean_logit_is_the_mean():
    found = combine(Ensemble("mean-logit"), LOGITS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [[-1 / 3, 4 / 3, 13 / 3]], rtol=1e-6)


def test_mean_probability_is_the_logit_of_the_mean():
    found = combine(Ensemble("mean-probability"), LOGITS)
    for label in range(3):
        mean = sum(1 / (1 + exp(-float(one))) for one in LOGITS[:, 0, label]) / 3
        assert found[0, label] == pytest.approx(log(mean / (1 - mean)), rel=1e-5)


def test_mean_probability_keeps_its_tails():
    tails = np.array([[[-60.0, 60.0]], [[-60.0, 60.0]]], np.float32)
    np.testing.assert_allclose(combine(Ensemble("mean-probability"), tails), [[-60, 60]], rtol=1e-6)


def test_weights_count_by_their_ratio():
    found = combine(Ensemble("weighted", weights=(1, 0, 3)), LOGITS)
    np.testing.assert_allclose(found, [[-0.5, 3.125, 30.75]], rtol=1e-6)


def test_partial_intersection_is_a_set_expression():
    decided = np.array([[[True, True, False]], [[True, False, False]], [[False, False, True]]])
    found = combine(Ensemble("partial-intersection", expression="(a & b) | c"), decided, NAMES)
    assert found.tolist() == [[True, False, True]]


def test_every_rule_says_what_it_is_over():
    over = {name: ensemble_rule(name).over for name in ENSEMBLES.names}
    assert [name for name, kind in over.items() if kind == "scores"] == [
        "mean-logit",
        "mean-probability",
        "weighted",
    ]
    assert len(over) == 9


@pytest.mark.parametrize(
    ("ensemble", "values", "names", "said"),
    [
        (Ensemble("mena-logit"), LOGITS, (), "Nearest is 'mean-logit'"),
        (Ensemble(), LOGITS > 0, (), "is over scores, and the members gave decisions. Give their logits"),
        (Ensemble("union"), LOGITS, (), "is over decisions, and the members gave scores. Apply a decision"),
        (Ensemble(), LOGITS[0], (), "shape (1, 3)"),
        (Ensemble(), LOGITS[:0], (), "at least one member"),
        (Ensemble(), LOGITS, ("a", "b"), "3 members are named a, b"),
        (Ensemble(), LOGITS, ("a", "b", "a"), "a name of its own"),
        (Ensemble("weighted"), LOGITS, (), "has no weights"),
        (Ensemble("weighted", weights=(1.0,)), LOGITS, (), "1 weights and 3 members"),
        (Ensemble("votes"), LOGITS > 0, (), "votes is 0 and there are 3 members"),
        (Ensemble("votes", votes=4), LOGITS > 0, (), "Give 1 to 3"),
        (Ensemble("partial-intersection", expression=" "), LOGITS > 0, NAMES, "has no expression"),
    ],
)
def test_what_cannot_be_combined_is_refused(ensemble, values, names, said):
    with pytest.raises(UsageError) as refused:
        combine(ensemble, values, names)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"votes": -1}, "votes is -1"),
        ({"weights": (1.0, -1.0)}, "from 0 to 1,000,000"),
        ({"weights": (1e308, 1e308)}, "from 0 to 1,000,000"),
        ({"weights": (float("nan"),)}, "from 0 to 1,000,000"),
        ({"weights": (0.0, 0.0)}, "All weights are 0"),
    ],
)
def test_a_wrong_table_is_refused(wrong, said):
    with pytest.raises(UsageError, match=said):
        Ensemble(**wrong)
