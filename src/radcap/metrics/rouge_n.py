"""ROUGE-1 and ROUGE-2: F1 of shared n-grams, without stemmer.

Invariant: tokens are maximal runs of a-z and 0-9 after lower-casing; no token in common scores 0.
>>> rouge_n_scores(["Left lung mass"], ["mass in the left lung"], 1)
[0.7499999999999999]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.metrics.ngrams import count_ngrams
from radcap.metrics.rouge_tokens import rouge_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["rouge_n_scores"]


def rouge_n_scores(candidates: Sequence[str], references: Sequence[str], n: int) -> list[float]:
    """F1 of each pair of texts."""
    pairs = count_ngrams(map(rouge_tokens, candidates), map(rouge_tokens, references), n)[-1]
    matches = pairs.matches()
    precision = matches / np.maximum(pairs.candidates.totals, 1)
    recall = matches / np.maximum(pairs.references.totals, 1)
    both = np.where(matches > 0, precision + recall, 1)
    return (2 * precision * recall / both).tolist()
