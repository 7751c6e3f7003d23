"""CIDEr as the COCO caption tools form it (CIDEr-D): n-grams of orders 1 to 4, weighted by rarity.

Invariant: the rarity of an n-gram is counted over the references given, so a value depends on the whole
set: the CIDEr of one image alone is 0, and a part of a test set gives other values than the whole.
Kept from the tools: the penalty on length counts bigrams, and values are scaled by 10.
>>> cider_scores([["left", "lung"], ["brain"]], [["left", "lung"], ["liver"]])
[5.0, 0.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.metrics.ngrams import count_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.ngrams import Counts, NgramPairs

__all__ = ["cider_of_counts", "cider_scores"]

Floats: TypeAlias = NDArray[np.float64]

_ORDERS = 4
_SIGMA = 6.0
_SCALE = 10.0


def cider_scores(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> list[float]:
    """The score of each pair of token lists."""
    return cider_of_counts(count_ngrams(candidates, references, _ORDERS))


def cider_of_counts(orders: Sequence[NgramPairs]) -> list[float]:
    """The same from n-grams that were counted already."""
    similar = np.mean([_similarity(pairs) for pairs in orders], axis=0)
    bigrams = orders[1].candidates.totals - orders[1].references.totals
    return (similar * np.exp(-(bigrams.astype(np.float64) ** 2) / (2 * _SIGMA**2)) * _SCALE).tolist()


def _similarity(pairs: NgramPairs) -> Floats:
    """Cosine of the weighted counts, a candidate's weight clipped to that of the reference."""
    captions = len(pairs.references.totals)
    frequency = np.bincount(pairs.references.ngram, minlength=pairs.distinct)
    rarity = np.log(captions) - np.log(np.maximum(frequency, 1))
    ours, theirs = _weights(pairs.candidates, rarity), _weights(pairs.references, rarity)
    at, opposite = pairs.common()
    clipped = np.minimum(ours[at], theirs[opposite]) * theirs[opposite]
    dot = np.bincount(pairs.candidates.caption[at], weights=clipped, minlength=captions)
    norms = _norms(pairs.candidates, ours) * _norms(pairs.references, theirs)
    return dot / np.where(norms > 0, norms, 1)


def _weights(side: Counts, rarity: Floats) -> Floats:
    return side.count * rarity[side.ngram]


def _norms(side: Counts, weights: Floats) -> Floats:
    return np.sqrt(np.bincount(side.caption, weights=weights**2, minlength=len(side.totals)))
