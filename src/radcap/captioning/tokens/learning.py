"""Which pairs of pieces are merged, and in which order: byte-pair encoding, learnt from the words of texts.

Invariant: the same words with the same counts give the same merges, in any order. The most frequent pair is
first; of equal ones that whose pieces have the smaller numbers, which is the `tokenizers` library's choice.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Pair", "learn_merges"]

Pair: TypeAlias = "tuple[int, int]"

_RARE = 2  # a pair that occurs less often makes no text shorter but the one it is from


def learn_merges(words: Mapping[bytes, int], first: Sequence[bytes], most: int) -> list[Pair]:
    """At most so many pairs of numbers: of pieces into `first`, then of the pieces that pairs made, in order.

    No two pairs make the same piece: within its bounds, the same bytes are always merged in the same way.
    """
    corpus = _Corpus.of(words, {piece: number for number, piece in enumerate(first)})
    merges: list[Pair] = []
    while len(merges) < most and (pair := corpus.most_frequent()) is not None:
        corpus.merge(pair, len(first) + len(merges))
        merges.append(pair)
    return merges


@dataclass(slots=True)
class _Corpus:
    """Words as numbers of pieces, how often each pair of neighbours occurs in them, and where."""

    words: list[list[int]]
    times: list[int]
    counts: defaultdict[Pair, int] = field(default_factory=lambda: defaultdict(int))
    places: defaultdict[Pair, set[int]] = field(default_factory=lambda: defaultdict(set))
    queue: list[tuple[int, Pair]] = field(default_factory=list[tuple[int, Pair]])

    @classmethod
    def of(cls, words: Mapping[bytes, int], numbers: Mapping[bytes, int]) -> _Corpus:
        spelled = [[numbers[word[i : i + 1]] for i in range(len(word))] for word in words]
        corpus = cls(spelled, list(words.values()))
        for place in range(len(spelled)):
            corpus._add(place)
        corpus.queue = [(-count, pair) for pair, count in corpus.counts.items()]
        heapify(corpus.queue)
        return corpus

    def most_frequent(self) -> Pair | None:
        """The pair to merge next. A count that fell since it was queued is put right and queued again."""
        while self.queue:
            count, pair = heappop(self.queue)
            now = self.counts[pair]
            if now == -count:
                return pair if now >= _RARE else None
            if 0 < now < -count:
                heappush(self.queue, (-now, pair))
        return None

    def merge(self, pair: Pair, number: int) -> None:
        """Make one piece of a pair, wherever it is; only pairs of that piece become more frequent."""
        risen: set[Pair] = set()
        for place in self.places.pop(pair):
            word = self.words[place]
            for old in pairwise(word):
                self.counts[old] -= self.times[place]
            self.words[place] = _merged(word, pair, number)
            self._add(place)
            risen.update(new for new in pairwise(self.words[place]) if number in new)
        for new in risen:
            heappush(self.queue, (-self.counts[new], new))

    def _add(self, place: int) -> None:
        for pair in pairwise(self.words[place]):
            self.counts[pair] += self.times[place]
            self.places[pair].add(place)


def _merged(word: Sequence[int], pair: Pair, number: int) -> list[int]:
    """A word with each pair as one piece, from the left."""
    merged: list[int] = []
    place = 0
    while place < len(word):
        found = tuple(word[place : place + 2]) == pair
        merged.append(number if found else word[place])
        place += 2 if found else 1
    return merged
