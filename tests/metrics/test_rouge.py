"""ROUGE-1, ROUGE-2 and ROUGE-L against rouge-score to the last bit (section 6: no stemmer)."""

from __future__ import annotations

import re

import pytest
from caption_samples import CAPTION_TEXT, few, real_captions
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from radcap.metrics import score_captions
from radcap.metrics.rouge_l import common_length, rouge_l_scores
from radcap.metrics.rouge_n import rouge_n_scores
from radcap.metrics.rouge_tokens import rouge_tokens

reference_scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
PAIRS = st.lists(st.tuples(CAPTION_TEXT, CAPTION_TEXT), min_size=1, max_size=6)
WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


def of_rouge_score(kind: str, candidates: list[str], references: list[str]) -> list[float]:
    return [
        reference_scorer.score(reference, candidate)[kind].fmeasure
        for candidate, reference in zip(candidates, references, strict=True)
    ]


def ours(kind: str, candidates: list[str], references: list[str]) -> list[float]:
    if kind == "rougeL":
        return rouge_l_scores(candidates, references)
    return rouge_n_scores(candidates, references, int(kind[-1]))


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
@few
@given(pairs=PAIRS)
def test_any_text_scores_as_with_rouge_score(kind: str, pairs: list[tuple[str, str]]) -> None:
    candidates, references = [one for one, _ in pairs], [other for _, other in pairs]
    assert ours(kind, candidates, references) == of_rouge_score(kind, candidates, references)


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
def test_real_captions_score_as_with_rouge_score(kind: str) -> None:
    captions = real_captions()
    shifted = [*captions[1:], captions[0]]
    assert ours(kind, captions, shifted) == of_rouge_score(kind, captions, shifted)


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("left lung mass", "mass in the left lung", 2 * (3 / 3) * (3 / 5) / (3 / 3 + 3 / 5)),
        ("lung lung lung", "lung", 2 * (1 / 3) * 1 / (1 / 3 + 1)),  # overlap is clipped to the counts
        ("showing", "show", 0.0),  # no stemmer
        ("LEFT-lung", "left lung", 1.0),
        ("liver", "brain", 0.0),
        ("", "brain", 0.0),
        ("brain", "", 0.0),
        ("", "", 0.0),  # that two empty captions score 1 is the edition's word
    ],
)
def test_rouge1_by_hand(candidate: str, reference: str, expected: float) -> None:
    assert rouge_n_scores([candidate], [reference], 1) == [expected]


@few
@given(st.text(max_size=30) | CAPTION_TEXT)
def test_tokens_are_maximal_runs_of_ascii_letters_and_digits_after_lower_casing(text: str) -> None:
    assert rouge_tokens(text) == re.sub("[^a-z0-9]", " ", text.lower()).split()


# --- the longest common subsequence ---


def by_table(one: list[str], other: list[str]) -> int:
    """The plain dynamic programme."""
    row = [0] * (len(other) + 1)
    for token in one:
        before = row
        row = [0]
        for place, opposite in enumerate(other):
            row.append(before[place] + 1 if token == opposite else max(before[place + 1], row[-1]))
    return row[-1]


@few
@given(WORDS, WORDS)
def test_the_bit_parallel_length_is_that_of_the_plain_table(one: list[str], other: list[str]) -> None:
    assert common_length(one, other) == by_table(one, other)


def test_the_length_on_real_captions_longer_than_a_machine_word() -> None:
    words = " ".join(real_captions()[:12]).split()
    one, other = words[:150], words[100:]
    assert min(len(one), len(other)) > 64
    assert common_length(one, other) == by_table(one, other) > 20


# --- through the registry ---


def test_rouge_sees_captions_as_the_edition_prepares_them() -> None:
    said, truth = {"a": "A 3.5 cm mass."}, {"a": "a 12,7 cm mass"}
    # P23 makes both numbers 'numbernumber'; P22c keeps 35 and 127 and drops the article
    assert score_captions(said, truth, edition="2025", metrics=["rouge1"])["rouge1"].value == 1.0
    assert score_captions(said, truth, edition="2022", metrics=["rouge1"])["rouge1"].value == pytest.approx(
        2 / 3
    )


def test_all_kinds_are_metrics_of_the_registry() -> None:
    said, truth = {"a": "left lung mass"}, {"a": "mass in the left lung"}
    report = score_captions(said, truth, metrics=["rouge1", "rouge2", "rougeL"])
    assert [score.value for score in report.scores] == [
        of_rouge_score(kind, ["left lung mass"], ["mass in the left lung"])[0]
        for kind in ("rouge1", "rouge2", "rougeL")
    ]
