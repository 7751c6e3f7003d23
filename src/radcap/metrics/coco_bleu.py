"""BLEU-1 to BLEU-4 as the COCO caption tools form them: the BLEU column beside the boards of 2023 and 2024.

Which program made that column was not published; CIDEr and METEOR beside it point to these tools.
Invariant: values are per caption, with the tools' two tiny constants against division by zero;
`corpus_bleu` pools the counts of all captions first, which is another number.
>>> [round(order[0], 4) for order in coco_bleu_scores([["left", "lung", "mass"]], [["left", "lung"]])]
[0.6667, 0.5774, 0.0, 0.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.metrics.ngrams import count_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.ngrams import NgramPairs

__all__ = ["coco_bleu_of_counts", "coco_bleu_scores", "corpus_bleu"]

Floats: TypeAlias = NDArray[np.float64]

_ORDERS = 4
_TINY, _SMALL = 1e-15, 1e-9


def coco_bleu_scores(
    candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> list[list[float]]:
    """For each order the score of each pair of token lists."""
    return coco_bleu_of_counts(count_ngrams(candidates, references, _ORDERS))


def coco_bleu_of_counts(orders: Sequence[NgramPairs]) -> list[list[float]]:
    """The same from n-grams that were counted already."""
    hits = [pairs.matches().astype(np.float64) for pairs in orders]
    guesses = [pairs.candidates.totals.astype(np.float64) for pairs in orders]
    return [order.tolist() for order in _bleu(hits, guesses, orders[0].references.totals)]


def corpus_bleu(orders: Sequence[NgramPairs]) -> list[float]:
    """One figure per order for all captions together."""
    hits = [np.asarray(float(pairs.matches().sum())) for pairs in orders]
    guesses = [np.asarray(float(pairs.candidates.totals.sum())) for pairs in orders]
    return [float(order) for order in _bleu(hits, guesses, orders[0].references.totals.sum())]


def _bleu(hits: list[Floats], guesses: list[Floats], reference_lengths: NDArray[np.int64]) -> list[Floats]:
    ratio = (guesses[0] + _TINY) / (reference_lengths + _SMALL)
    brevity = np.exp(np.minimum(1 - 1 / ratio, 0))
    product, found = np.ones_like(ratio), list[Floats]()
    for n, (hit, guess) in enumerate(zip(hits, guesses, strict=True), start=1):
        product = product * (hit + _TINY) / (guess + _SMALL)
        found.append(product ** (1 / n) * brevity)
    return found
