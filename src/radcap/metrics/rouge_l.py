"""ROUGE-L: F1 of the longest common subsequence of words.

Invariant: the whole caption is one sentence, as in the `rougeL` of the usual library.
The length is found bit-parallel (Hyyrö 2004): a handful of integer steps per word.
>>> rouge_l_scores(["mass in left lung"], ["left lung mass"])
[0.5714285714285715]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.metrics.rouge_tokens import rouge_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["common_length", "rouge_l_scores"]


def rouge_l_scores(candidates: Sequence[str], references: Sequence[str]) -> list[float]:
    """F1 of each pair of texts."""
    return [
        _f1(rouge_tokens(ours), rouge_tokens(theirs))
        for ours, theirs in zip(candidates, references, strict=True)
    ]


def _f1(ours: list[str], theirs: list[str]) -> float:
    common = common_length(ours, theirs)
    if not common:
        return 0.0
    precision, recall = common / len(ours), common / len(theirs)
    return 2 * precision * recall / (precision + recall)


def common_length(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    >>> common_length("ABCBDAB", "BDCABA")
    4
    """
    places: dict[str, int] = {}
    for place, token in enumerate(theirs):
        places[token] = places.get(token, 0) | 1 << place
    full = (1 << len(theirs)) - 1
    row = full  # a zero bit marks a step of the common subsequence
    for token in ours:
        hits = row & places.get(token, 0)
        row = (row + hits | row - hits) & full
    return len(theirs) - row.bit_count()
