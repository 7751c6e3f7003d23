"""N-grams of captions as numbers: what BLEU, ROUGE-N and CIDEr count.

Invariant: an n-gram has one number on both sides, and the counts of a caption stand together, in the order
of that number. Everything is whole-array work; no caption is looked at alone.
>>> unigrams, bigrams = count_ngrams([["left", "left", "lung"]], [["left", "lung"]], 2)
>>> unigrams.matches().tolist(), bigrams.matches().tolist()
([2], [1])
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Counts", "Ints", "NgramPairs", "count_ngrams"]

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each n-gram stands in each caption of one side."""

    caption: Ints
    ngram: Ints
    count: Ints
    totals: Ints  # n-grams per caption


@dataclass(frozen=True, slots=True)
class NgramPairs:
    """One order of n-grams, counted in candidates and references."""

    candidates: Counts
    references: Counts
    distinct: int  # n-grams on both sides together

    def common(self) -> tuple[Ints, Ints]:
        """Where the n-grams stand that a caption shares with its reference: rows of either side."""
        keys = [side.caption * self.distinct + side.ngram for side in (self.candidates, self.references)]
        _, ours, theirs = np.intersect1d(*keys, assume_unique=True, return_indices=True)
        return ours, theirs

    def matches(self) -> Ints:
        """Shared n-grams per caption, each counted as often as both sides have it."""
        ours, theirs = self.common()
        shared = np.minimum(self.candidates.count[ours], self.references.count[theirs])
        captions = len(self.candidates.totals)
        summed = np.bincount(self.candidates.caption[ours], weights=shared, minlength=captions)
        return summed.astype(np.int64)


def count_ngrams(
    candidates: Iterable[Sequence[str]], references: Iterable[Sequence[str]], orders: int
) -> list[NgramPairs]:
    """The n-grams of orders 1 to `orders`."""
    number: dict[str, int] = defaultdict(count().__next__)
    sides = [_numbers(side, number) for side in (candidates, references)]
    tokens, lengths = (np.concatenate(both) for both in zip(*sides, strict=True))
    caption = np.repeat(np.arange(len(lengths)), lengths)
    left = np.cumsum(lengths)[caption] - np.arange(len(tokens))  # tokens to the end of the caption
    return [
        _split(caption[at], ngram, np.maximum(lengths - n, 0), len(sides[0][1]))
        for n, (at, ngram) in enumerate(_orders(tokens, left, len(number), orders))
    ]


def _numbers(captions: Iterable[Sequence[str]], number: dict[str, int]) -> tuple[Ints, Ints]:
    """Tokens as numbers, and how many a caption has; the words of one caption at a time are held as text."""
    tokens, lengths = array("q"), array("q")
    for caption in captions:
        tokens.extend(map(number.__getitem__, caption))
        lengths.append(len(caption))
    return np.array(tokens, np.int64), np.array(lengths, np.int64)


def _orders(tokens: Ints, left: Ints, vocabulary: int, orders: int) -> Iterator[tuple[Ints, Ints]]:
    """For each order the places where an n-gram starts, and its number."""
    at, ngram = np.arange(len(tokens)), tokens
    yield at, ngram
    for n in range(1, orders):
        inside = left[at] > n
        at = at[inside]
        longer = ngram[inside] * vocabulary + tokens[at + n]
        ngram = np.unique(longer, return_inverse=True)[1].astype(np.int64)
        yield at, ngram


def _split(caption: Ints, ngram: Ints, totals: Ints, candidates: int) -> NgramPairs:
    distinct = int(ngram.max()) + 1 if len(ngram) else 1
    keys, count = np.unique(caption * distinct + ngram, return_counts=True)
    owner, ngram = np.divmod(keys, distinct)
    border = int(np.searchsorted(owner, candidates))
    ours = Counts(owner[:border], ngram[:border], count[:border], totals[:candidates])
    theirs = Counts(owner[border:] - candidates, ngram[border:], count[border:], totals[candidates:])
    return NgramPairs(ours, theirs, distinct)
