"""Sentence BLEU, section 5: the table to its last digit, three ages of NLTK to the last bit."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from caption_samples import TOKEN_PAIRS, few, real_captions
from hypothesis import given
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from radcap.metrics import BleuRule, Preparation, prepare
from radcap.metrics.bleu import bleu_scores
from radcap.metrics.ngrams import count_ngrams

GOLDENS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "captions" / "bleu_nltk.json").read_text("utf-8")
)
REFERENCE = "chest xray show left pleural effus"


class Row(NamedTuple):
    """A row of the table of section 5; numbers as printed there."""

    candidate: str
    counts: str  # num/den of orders 1 to 4
    brevity: float
    truncating: float
    vanishing: str
    reference: str = REFERENCE


TABLE = [
    Row(REFERENCE, "6/6 5/5 4/4 3/3", 1, 1.0, "1.0000e+00"),
    Row("chest xray", "2/2 1/1 0/1 0/1", 0.135335, 0.1353352832366127, "2.0188e-155"),
    Row("effus left chest show xray pleural", "6/6 0/5 0/4 0/3", 1, 1.0, "1.8218e-231"),
    Row("chest xray normal", "2/3 1/2 0/1 0/1", 0.367879, 0.27952792741962756, "4.1696e-155"),
    Row("chest chest chest xray", "2/4 1/3 0/2 0/1", 0.606531, 0.38753858253732953, "5.7808e-155"),
    Row("chest xray show left effus", "2/5 1/4 0/3 0/2", 1, 0.5623413251903491, "8.3883e-155", "chest xray"),
    Row("brain mri axial", "3/3 2/2 1/1 0/1", 1, 1.0, "1.2213e-77", "brain mri axial"),
]
EVERY_ROW = pytest.mark.parametrize("row", TABLE, ids=[row.candidate for row in TABLE])


def bleu(candidate: str, reference: str, rule: BleuRule) -> float:
    return bleu_scores([candidate.split()], [reference.split()], rule)[0]


# --- the table of the specification ---


@EVERY_ROW
def test_table_truncating_rule(row: Row) -> None:
    assert bleu(row.candidate, row.reference, BleuRule.TRUNCATING) == row.truncating


@EVERY_ROW
def test_table_vanishing_rule(row: Row) -> None:
    assert f"{bleu(row.candidate, row.reference, BleuRule.VANISHING):.4e}" == row.vanishing


@EVERY_ROW
def test_table_counts(row: Row) -> None:
    orders = count_ngrams([row.candidate.split()], [row.reference.split()], 4)
    counts = [f"{int(one.matches()[0])}/{max(int(one.candidates.totals[0]), 1)}" for one in orders]
    assert " ".join(counts) == row.counts


@EVERY_ROW
def test_table_brevity_penalty(row: Row) -> None:
    """The score over the geometric mean of the orders that match, each to the power of 0.25."""
    precisions = [int(one[0]) / int(one[2]) for one in row.counts.split() if one[0] != "0"]
    found = bleu(row.candidate, row.reference, BleuRule.TRUNCATING) / math.prod(p**0.25 for p in precisions)
    assert found == pytest.approx(row.brevity, abs=5e-7)


@pytest.mark.parametrize("rule", [BleuRule.TRUNCATING, BleuRule.VANISHING])
@pytest.mark.parametrize(
    ("candidate", "reference"), [("", REFERENCE), (REFERENCE, ""), ("", ""), ("lung", "ct")]
)
def test_without_a_common_word_the_score_is_0(candidate: str, reference: str, rule: BleuRule) -> None:
    assert bleu(candidate, reference, rule) == 0.0  # two empty lists score 1 by the scorer's rule, not here


@pytest.mark.parametrize(("tokens", "scored"), [(0, False), (1, False), (3, False), (4, True), (5, True)])
def test_the_dividing_rule_has_no_score_below_four_tokens(tokens: int, scored: bool) -> None:
    found = bleu("lung " * tokens, REFERENCE, BleuRule.DIVIDING)
    assert math.isnan(found) is not scored


# --- NLTK of the day ---

RULE_OF = {
    "3.2.1": BleuRule.DIVIDING,
    "3.2.2": BleuRule.TRUNCATING,
    "3.2.5": BleuRule.TRUNCATING,
    "3.3": BleuRule.VANISHING,
}


@pytest.mark.parametrize("version", RULE_OF)
def test_each_rule_equals_its_nltk_to_the_last_bit(version: str) -> None:
    pairs = GOLDENS["pairs"]
    found = bleu_scores(
        [pair["candidate"].split() for pair in pairs],
        [pair["reference"].split() for pair in pairs],
        RULE_OF[version],
    )
    assert ["ZeroDivisionError" if math.isnan(one) else one for one in found] == [
        pair[version] for pair in pairs
    ]


def test_the_golden_pairs_tell_the_rules_apart() -> None:
    pairs = GOLDENS["pairs"]
    assert len(pairs) >= 60
    assert all(pair["3.2.2"] == pair["3.2.5"] for pair in pairs)
    assert sum(pair["3.2.1"] == "ZeroDivisionError" for pair in pairs) >= 15
    assert sum(pair["3.2.2"] > 0.1 and pair["3.3"] < 1e-70 for pair in pairs) >= 20


def test_the_dividing_rule_is_the_truncating_one_from_four_tokens_on() -> None:
    pairs = [pair for pair in GOLDENS["pairs"] if len(pair["candidate"].split()) >= 4]
    assert len(pairs) > 30
    for pair in pairs:
        both = [bleu(pair["candidate"], pair["reference"], rule) for rule in list(BleuRule)[:2]]
        assert both[0] == both[1]


def nltk_today(candidate: list[str], reference: list[str]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every order without a match
        score = sentence_bleu([reference], candidate, smoothing_function=SmoothingFunction().method0)
    return float(score)  # type: ignore[arg-type]


@few
@given(TOKEN_PAIRS)
def test_the_vanishing_rule_equals_todays_nltk_to_the_last_bit(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    found = bleu_scores([one for one, _ in pairs], [other for _, other in pairs], BleuRule.VANISHING)
    assert found == [nltk_today(one, other) for one, other in pairs]


def test_the_vanishing_rule_equals_todays_nltk_on_real_captions() -> None:
    captions = [one.split() for one in prepare(real_captions(), Preparation.P17)]
    shifted = [*captions[1:], captions[0]]
    assert bleu_scores(captions, shifted, BleuRule.VANISHING) == list(map(nltk_today, captions, shifted))
    halves = [one[: len(one) // 2] for one in captions]
    assert bleu_scores(halves, captions, BleuRule.VANISHING) == list(map(nltk_today, halves, captions))
