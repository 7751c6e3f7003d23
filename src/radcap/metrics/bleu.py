"""Sentence BLEU of the editions 2017 to 2022, under the rule of the NLTK version of the day.

Invariant: weights are 0.25 for every order, captions of fewer than four tokens included; nothing is rounded.
>>> bleu_scores([["chest", "xray"]], [["chest", "xray", "show", "effus"]], BleuRule.TRUNCATING)
[0.36787944117144233]
>>> bleu_scores([["chest", "xray"]], [["chest", "xray", "show", "effus"]], BleuRule.VANISHING)[0] < 1e-100
True
"""

from __future__ import annotations

import math
import sys
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from radcap.metrics.bleu_rules import BleuRule
from radcap.metrics.ngrams import count_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.ngrams import NgramPairs

__all__ = ["ORDERS", "bleu_of_counts", "bleu_scores"]

ORDERS = 4


def bleu_scores(
    candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]], rule: BleuRule
) -> list[float]:
    """BLEU-4 of each pair of token lists; NaN where NLTK divides by zero."""
    return bleu_of_counts(count_ngrams(candidates, references, ORDERS), rule)


def bleu_of_counts(orders: Sequence[NgramPairs], rule: BleuRule) -> list[float]:
    """BLEU-4 from n-grams that were counted already."""
    matches = np.stack([pairs.matches() for pairs in orders], axis=1).tolist()
    totals = np.stack([np.maximum(pairs.candidates.totals, 1) for pairs in orders], axis=1).tolist()
    lengths = zip(orders[0].candidates.totals.tolist(), orders[0].references.totals.tolist(), strict=True)
    return [
        _score(hits, of, ours, theirs, rule)
        for hits, of, (ours, theirs) in zip(matches, totals, lengths, strict=True)
    ]


def _score(hits: list[int], of: list[int], ours: int, theirs: int, rule: BleuRule) -> float:
    if rule is BleuRule.DIVIDING and ours < ORDERS:
        return math.nan
    if not hits[0]:
        return 0.0
    logarithms = [_quarter_log(hit, total) for hit, total in zip(hits, of, strict=True) if hit]
    if rule is BleuRule.VANISHING:
        logarithms += [0.25 * math.log(sys.float_info.min)] * hits.count(0)
    return _brevity(ours, theirs) * math.exp(math.fsum(logarithms))


def _brevity(ours: int, theirs: int) -> float:
    return 1.0 if ours > theirs else math.exp(1 - theirs / ours)


@cache
def _quarter_log(hits: int, total: int) -> float:
    return 0.25 * math.log(hits / total)
