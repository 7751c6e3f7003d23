"""A word as pieces, by merges that were learnt: the one that was learnt first is done first.

Invariant: of equal merges the leftmost is done first, one at a time, as the `tokenizers` library does it. The
cost grows with the length of the word and its logarithm, so that a word without end is no danger.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.tokens.learning import Pair

__all__ = ["Merge", "merge_word"]

_GONE = -1


@dataclass(frozen=True, slots=True)
class Merge:
    """What a pair becomes, and how early it was learnt."""

    rank: int
    number: int


def merge_word(word: Sequence[int], merges: Mapping[Pair, Merge]) -> list[int]:
    """The pieces of a word that is given as single bytes."""
    chain = _Chain(word)
    queue = [
        (merge.rank, place, merge.number)
        for place in range(len(word) - 1)
        if (merge := merges.get((word[place], word[place + 1])))
    ]
    heapify(queue)
    while queue:
        _, place, number = heappop(queue)
        now = merges.get(chain.pair(place))
        if now is None or now.number != number:  # a neighbour was taken by another merge
            continue
        for left in chain.join(place, number):
            if found := merges.get(chain.pair(left)):
                heappush(queue, (found.rank, left, found.number))
    return [number for number in chain.numbers if number != _GONE]


class _Chain:
    """Pieces that know their neighbours; a piece stays where its first byte was."""

    def __init__(self, word: Sequence[int]) -> None:
        self.numbers = list(word)
        self._after = list(range(1, len(word) + 1))
        self._before = list(range(-1, len(word) - 1))

    def pair(self, place: int) -> Pair:
        """A piece and the next one; no merge has a pair with a piece that is gone or beyond the end."""
        after = self._after[place]
        return self.numbers[place], self.numbers[after] if after < len(self.numbers) else _GONE

    def join(self, place: int, number: int) -> list[int]:
        """Make one piece of a pair; gives the places whose pairs are new."""
        gone = self._after[place]
        self.numbers[place], self.numbers[gone] = number, _GONE
        self._after[place] = after = self._after[gone]
        if after < len(self.numbers):
            self._before[after] = place
        before = self._before[place]
        return [place] if before < 0 else [before, place]
