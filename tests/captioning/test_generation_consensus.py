"""Consensus: against two plain loops over the metrics."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.captioning.generation import Candidate, agreement, consensus, consensus_of_many, mbr
from radcap.core import Missing, UsageError
from radcap.metrics import CAPTION_METRICS, BleuRule
from radcap.metrics.bleu import bleu_scores
from radcap.metrics.coco_bleu import coco_bleu_scores
from radcap.metrics.rouge_l import rouge_l_scores
from radcap.metrics.rouge_n import rouge_n_scores

ONE_PAIR = {
    "rouge1": lambda ours, theirs: rouge_n_scores([ours], [theirs], 1)[0],
    "rouge2": lambda ours, theirs: rouge_n_scores([ours], [theirs], 2)[0],
    "rougeL": lambda ours, theirs: rouge_l_scores([ours], [theirs])[0],
    "bleu": lambda ours, theirs: bleu_scores([ours.split()], [theirs.split()], BleuRule.TRUNCATING)[0],
    "bleu2": lambda ours, theirs: coco_bleu_scores([ours.split()], [theirs.split()])[1][0],
}
words = st.lists(st.sampled_from(["left", "lung", "mass", "CT", "of"]), min_size=1, max_size=6).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(words, max_size=5), max_size=4), st.sampled_from(sorted(ONE_PAIR)))
def test_two_loops(groups: list[list[str]], metric: str) -> None:
    one = ONE_PAIR[metric]
    wanted = [[sum(one(ours, theirs) for theirs in group) / len(group) for ours in group] for group in groups]
    found = consensus_of_many(groups, None, metric)
    assert [len(group) for group in found] == [len(group) for group in groups]
    for means, expected in zip(found, wanted, strict=True):
        assert means == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(words, st.floats(0.01, 5)), min_size=1, max_size=5))
def test_weights(captions: list[tuple[str, float]]) -> None:
    texts, weights = zip(*captions, strict=True)
    one = ONE_PAIR["rouge1"]
    wanted = [sum(weight * one(ours, theirs) for theirs, weight in captions) / sum(weights) for ours in texts]
    assert consensus(texts, weights) == pytest.approx(wanted, abs=1e-12)


def test_a_caption_drawn_twice_counts_twice() -> None:
    captions = ["left lung", "liver mass", "left lung"]
    assert consensus(captions) == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert consensus(captions[:2], [2, 1]) == pytest.approx([2 / 3, 1 / 3])


def test_alone() -> None:
    assert consensus(["left lung"]) == [1]
    assert consensus([]) == []


def test_any_function() -> None:
    def same_length(candidates, references):
        return [float(len(ours) == len(theirs)) for ours, theirs in zip(candidates, references, strict=True)]

    assert agreement(same_length) is same_length
    assert consensus(["ab", "cd", "e"], metric=same_length) == pytest.approx([2 / 3, 2 / 3, 1 / 3])


def test_more_pairs_than_are_measured_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [["a b", "b c", "c"], ["a"], ["a b c", "b"], []]
    whole, asked = consensus_of_many(groups), list[int]()
    measure = agreement("rouge1")

    def counted(candidates, references):
        asked.append(len(candidates))
        return measure(candidates, references)

    monkeypatch.setattr(import_module("radcap.captioning.generation.consensus"), "_MOST", 9)
    assert consensus_of_many(groups, None, counted) == whole
    assert asked == [9, 5]


def test_the_one_that_agrees_most_comes_first() -> None:
    texts = [["liver", "left lung mass", "lung mass", "right lung mass"], ["liver", "lung"]]
    candidates = [
        [Candidate((place,), -float(place), -float(place)) for place in range(len(one))] for one in texts
    ]
    found = mbr(candidates, texts, "rouge1")
    assert [one.tokens[0] for one in found[0]] == [2, 1, 3, 0]
    assert [one.score for one in found[0]] == sorted(consensus(texts[0]), reverse=True)
    assert [one.log_probability for one in found[0]] == [-2, -1, -3, 0]
    assert [one.tokens[0] for one in found[1]] == [0, 1]  # as well as the other, so it stays first


@pytest.mark.parametrize(
    ("metric", "why"),
    [("cider", "rarity"), ("similarity", "looks at the image"), ("clipscore", "Choose: rouge1")],
)
def test_what_is_no_metric_of_pairs_is_refused(metric: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        consensus(["a", "b"], metric=metric)
    assert "rougeL" in str(refused.value)
    assert metric in CAPTION_METRICS


def test_names_that_are_not_there() -> None:
    with pytest.raises(UsageError, match="Nearest is 'rouge1'"):
        consensus(["a", "b"], metric="rogue1")
    with pytest.raises(Missing):
        consensus(["a", "b"], metric="bertscore")


@pytest.mark.parametrize(
    "weights", [[1.0], [0.0, 0.0], [1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]]
)
def test_what_are_no_weights_is_refused(weights: list[float]) -> None:
    with pytest.raises(UsageError, match="no shares"):
        consensus(["a", "b"], weights)
