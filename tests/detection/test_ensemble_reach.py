"""Members with different labels: which rules can join them."""

from __future__ import annotations

import numpy as np
import pytest

from radcap.core import UsageError
from radcap.detection.ensembles import ENSEMBLES, Ensemble, Member, align, combine
from radcap.detection.ensembles.reach import check_labels, joins_any_labels

APART = {"one": ("A", "B"), "two": ("C",)}
NESTED = {"one": ("A", "B", "C"), "two": ("A", "B"), "three": ("A", "C")}
ALIKE = {"one": ("A", "B"), "two": ("B", "A")}


@pytest.mark.parametrize("rule", ENSEMBLES.names)
def test_members_with_the_same_labels_are_joined_by_every_rule(rule: str) -> None:
    check_labels(Ensemble(rule, votes=2), ALIKE)


@pytest.mark.parametrize("rule", ["union", "fallback", "partial-intersection"])
def test_sets_are_joined_whatever_their_labels(rule: str) -> None:
    assert joins_any_labels(Ensemble(rule))
    check_labels(Ensemble(rule), APART)
    check_labels(Ensemble(rule), NESTED)


@pytest.mark.parametrize(
    ("ensemble", "needed"),
    [(Ensemble("intersection"), 3), (Ensemble("votes", votes=3), 3)],
)
def test_a_label_that_can_never_have_the_votes_is_refused(ensemble: Ensemble, needed: int) -> None:
    said = rf"B is known to 2 of 3, and the rule '{ensemble.rule}' asks for {needed}"
    with pytest.raises(UsageError, match=said):
        check_labels(ensemble, NESTED)


def test_two_votes_of_three_reach_labels_that_two_know() -> None:
    check_labels(Ensemble("votes", votes=2), NESTED)
    check_labels(Ensemble("majority"), NESTED)
    with pytest.raises(UsageError, match="A is known to 1 of 2, and the rule 'majority' asks for 2"):
        check_labels(Ensemble("majority"), APART)


@pytest.mark.parametrize("rule", ["mean-logit", "mean-probability", "weighted", "votes"])
def test_members_without_a_common_label_have_no_mean(rule: str) -> None:
    with pytest.raises(UsageError, match="members one and two have no label in common"):
        check_labels(Ensemble(rule, votes=1), APART)
    check_labels(Ensemble(rule, votes=1), NESTED)


def test_disjoint_members_are_aligned_where_that_is_meant() -> None:
    one = Member("one", ("x", "y"), ("A", "B"), np.array([[True, False], [False, False]]))
    two = Member("two", ("y", "x"), ("C",), np.array([[True], [False]]))
    both = align([one, two], apart=True)
    assert both.labels == ("A", "B", "C")
    assert combine(Ensemble("union"), both.values).tolist() == [[True, False, False], [False, False, True]]
    assert combine(Ensemble("fallback"), both.values).tolist() == [[True, False, False], [False, False, True]]
