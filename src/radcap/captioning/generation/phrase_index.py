"""Phrases as sequences of tokens, and how they lie inside one another: what is the same for all images.

Invariant: phrases are distinct and have a token at least. A phrase that starts with the begin mark is met at
the beginning of a caption only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.captioning.generation.ragged import Ints, Ragged
from radcap.captioning.generation.trie import Trie

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Inside", "PhraseIndex"]


@dataclass(frozen=True, slots=True, eq=False)
class Inside:
    """Phrases inside longer ones, by the node where that matters."""

    nodes: Ragged
    inner: Ints  # the phrase inside
    outer: Ints  # the phrase around it
    after: Ints  # tokens of the outer phrase since the inner one ended
    token: Ints  # the next token of the outer phrase; -1 where it is whole

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, int, int, int]], nodes: int) -> Inside:
        """From rows of node, inner, outer, after, token."""
        node, *columns = np.array(rows, np.int64).reshape(-1, 5).T
        return cls(Ragged.of(node.tolist(), nodes), *columns)


class PhraseIndex:
    """Made once for a vocabulary of phrases."""

    def __init__(self, phrases: Iterable[Sequence[int]], begin: int) -> None:
        self.phrases = tuple(dict.fromkeys(tuple(phrase) for phrase in phrases if len(phrase)))
        self.begin = begin
        self.first = np.array([phrase[0] for phrase in self.phrases], np.int64)
        self.last = np.array([phrase[-1] for phrase in self.phrases], np.int64)
        self.is_single = np.array([len(phrase) == 1 for phrase in self.phrases], bool)
        self.trie = Trie(self.phrases)
        nodes = self.trie.nowhere + 1
        several = [number for number, single in enumerate(self.is_single) if not single]
        # Phrases of several tokens by the node from which one token makes them whole.
        self._several = np.array(several, np.int64)
        self._wholes = Ragged.of([self.trie.paths[number][-2] for number in several], nodes)
        found = list(self._found())
        # The next token ends the inner one; what begins with it is known without a text.
        self.starts = Inside.of([row for row in found if row[3] < 0 < row[0]], nodes)
        self.opens = Inside.of([row for row in found if row[3] >= 0 and row[4] >= 0], nodes)
        self.closes = Inside.of([row for row in found if row[4] < 0], nodes)

    def __len__(self) -> int:
        return len(self.phrases)

    def completed(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Which phrases of several tokens lack one at these nodes: the place of the node, and the phrase."""
        place, item = self._wholes.of_all(nodes)
        return place, self._several[item]

    def _found(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Phrases inside others, at each node of the outer one from before the inner one's last token."""
        numbers = {phrase: number for number, phrase in enumerate(self.phrases)}
        for outer, phrase in enumerate(self.phrases):
            path = self.trie.paths[outer]
            for inner, end in _inner(phrase, numbers):
                for done in range(end - 1, len(phrase) + 1):
                    token = phrase[done] if done < len(phrase) else -1
                    yield path[done], inner, outer, done - end, token


def _inner(phrase: tuple[int, ...], numbers: dict[tuple[int, ...], int]) -> Iterator[tuple[int, int]]:
    """The shorter phrases inside one, and where each ends."""
    for start in range(len(phrase)):
        for end in range(start + 1, len(phrase) + 1):
            inner = numbers.get(phrase[start:end])
            if inner is not None and end - start < len(phrase):
                yield inner, end
