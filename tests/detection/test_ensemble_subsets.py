"""The search for members, against every subset scored one by one with scikit-learn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import f1_score

from radcap.core import UsageError
from radcap.detection.ensembles import Ensemble, combine, search_subsets, subsets
from radcap.detection.ensembles.scoring import cells_of, f1_scores

NAMES = ("a", "b", "c", "d", "e")
TRUTH = np.random.default_rng(1).random((60, 12)) < 0.25
TRUTH[:5] = False


def logits(members=5, seed=0):
    draw = np.random.default_rng(seed)
    return (draw.normal(-1.5, 1.5, (members, *TRUTH.shape)) + 2 * TRUTH).astype(np.float32)


def naive(decided, objective):
    average = "micro" if objective == "micro-f1" else "samples"
    return f1_score(TRUTH, decided, average=average, zero_division=1)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("objective", ["sample-f1", "micro-f1"])
@pytest.mark.parametrize(
    "ensemble",
    [
        Ensemble("union"),
        Ensemble("intersection"),
        Ensemble("majority"),
        Ensemble("votes", votes=2),
        Ensemble("mean-logit", threshold=0.3),
        Ensemble("mean-logit", threshold=-1.0),
        Ensemble("mean-probability", threshold=-0.5),
    ],
    ids=lambda one: f"{one.rule}{one.threshold}",
)
def test_every_subset_scores_as_the_rule_itself(ensemble, objective):
    ensemble = Ensemble(
        ensemble.rule, votes=ensemble.votes, threshold=ensemble.threshold, objective=objective
    )
    over_scores = ensemble.rule.startswith("mean")
    values = logits() if over_scores else logits() > -0.2
    found = search_subsets(ensemble, values, TRUTH, NAMES)
    scores = {one.members: one.score for one in found.ranked}
    least = max(ensemble.votes, 1)
    wanted = [chosen for size in range(least, 6) for chosen in combinations(range(5), size)]
    assert len(scores) == len(wanted)
    for chosen in wanted:
        some = combine(ensemble, values[list(chosen)])
        decided = some >= ensemble.threshold if over_scores else some
        assert scores[tuple(NAMES[place] for place in chosen)] == pytest.approx(naive(decided, objective))
    assert found.whole
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_the_table_names_the_best_first():
    found = search_subsets(Ensemble("union"), logits() > 0, TRUTH, NAMES)
    assert found.table(2) == [
        (rank, " + ".join(one.members), one.score) for rank, one in enumerate(found.ranked[:2], 1)
    ]
    assert found.best == found.ranked[0]


def test_of_equal_subsets_the_smaller_stands_first():
    twins = np.repeat((logits(1) > 0), 3, axis=0)
    found = search_subsets(Ensemble("union"), twins, TRUTH, ("a", "b", "c"))
    assert [len(one.members) for one in found.ranked] == [1, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize(
    "ensemble", [Ensemble("mean-logit"), Ensemble("votes", votes=3)], ids=lambda one: one.rule
)
def test_many_members_are_added_one_by_one(monkeypatch, ensemble):
    monkeypatch.setattr(subsets, "MOST_MEMBERS", 4)
    values = logits() if ensemble.rule == "mean-logit" else logits() > -0.2
    found = search_subsets(ensemble, values, TRUTH, NAMES)
    assert not found.whole
    assert len(found.best.members) >= ensemble.votes
    exhaustive = {one.members: one.score for one in _whole(monkeypatch, ensemble, values).ranked}
    assert all(one.score == pytest.approx(exhaustive[one.members]) for one in found.ranked)
    assert found.best.score >= max(exhaustive.get((name,), 0) for name in NAMES)


def _whole(monkeypatch, ensemble, values):
    monkeypatch.setattr(subsets, "MOST_MEMBERS", 15)
    return search_subsets(ensemble, values, TRUTH, NAMES)


def test_greedy_stops_where_nobody_helps(monkeypatch):
    monkeypatch.setattr(subsets, "MOST_MEMBERS", 1)
    values = np.stack([TRUTH, ~TRUTH, ~TRUTH])
    found = search_subsets(Ensemble("union"), values, TRUTH, ("a", "b", "c"))
    assert (found.best.members, found.best.score) == (("a",), 1.0)
    assert len(found.ranked) == 3


def test_greedy_takes_everybody_where_everybody_helps(monkeypatch):
    monkeypatch.setattr(subsets, "MOST_MEMBERS", 1)
    parts = np.zeros((3, 3, 3), bool)
    parts[np.arange(3), np.arange(3), np.arange(3)] = True
    found = search_subsets(Ensemble("union"), parts, np.eye(3, dtype=bool), ("a", "b", "c"))
    assert found.best.members == ("a", "b", "c")
    assert found.best.score == 1.0


def f1_of(decided, truth):
    cells = cells_of(decided, truth)
    return f1_scores(cells, np.ones((1, len(cells.rows)), bool), "sample-f1")[0]


def test_sample_f1_is_that_of_scikit_learn():
    decided = logits(1)[0] > 0
    assert f1_of(decided, TRUTH) == pytest.approx(naive(decided, "sample-f1"))
    assert f1_of(np.zeros((2, 3), bool), np.zeros((2, 3), bool)) == 1.0


def test_nothing_said_and_nothing_true_is_right():
    nothing = np.zeros((2, 3, 4), bool)
    found = search_subsets(Ensemble("union", objective="micro-f1"), nothing, nothing[0], ("a", "b"))
    assert {one.score for one in found.ranked} == {1.0}


@pytest.mark.parametrize(
    ("ensemble", "values", "truth", "names", "said"),
    [
        (Ensemble("fallback"), logits() > 0, TRUTH, NAMES, "no subsets to search"),
        (Ensemble("union"), logits(), TRUTH, NAMES, "is over decisions, and the members gave scores"),
        (Ensemble(), logits() > 0, TRUTH, NAMES, "is over scores, and the members gave decisions"),
        (Ensemble("votes"), logits() > 0, TRUTH, NAMES, "Give 1 to 5"),
        (Ensemble("votes", votes=6), logits() > 0, TRUTH, NAMES, "Give 1 to 5"),
        (Ensemble(), logits(), TRUTH[:3], NAMES, "Align members and truth"),
        (Ensemble(), logits(), TRUTH, NAMES[:2], "2 members are named"),
    ],
)
def test_what_cannot_be_searched_is_refused(ensemble, values, truth, names, said):
    with pytest.raises(UsageError) as refused:
        search_subsets(ensemble, values, truth, names)
    assert said in str(refused.value)
