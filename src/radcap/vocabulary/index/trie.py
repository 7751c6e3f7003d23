"""Sequences of word numbers, found in long rows of words at once.

A node is a sequence that some name starts with. The nodes of one word are numbered as the words are; every
other node is an edge: its parent and its last word. Edges are sorted, and a node's number is the place of its
edge behind the words, so one sorted array is the whole trie.
Invariant: `walk` finds each sequence that ends at a marked node, at every place, and no other; its work grows
with the number of words, whatever they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.vocabulary.index.arrays import Array

__all__ = ["Spans", "Trie"]

_ENDS, _GOES_ON = 1, 2
_WORD_BITS = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Spans:
    """Where sequences were found: the first word, how many words, and the node they end at."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    node: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first)

    def only(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> Spans:
        return Spans(self.first[kept], self.count[kept], self.node[kept])


@dataclass(frozen=True, slots=True)
class Trie:
    """All sequences."""

    words: int
    edges: Array  # parent << 32 | word, sorted
    marks: Array  # for each node whether a sequence ends and whether one goes on

    @classmethod
    def of(cls, sequences: Array, lengths: Array, words: int) -> tuple[Trie, Array]:
        """A trie, and the node at which each sequence ends. `sequences` holds them one after another."""
        starts = np.cumsum(lengths) - lengths
        node = sequences[starts].astype(np.uint64)
        levels: list[Array] = []
        nodes, depth, going = words, 1, np.flatnonzero(lengths > 1)
        while len(going):
            keys = node[going] << _WORD_BITS | sequences[starts[going] + depth]
            level, place = np.unique(keys, return_inverse=True)
            node[going] = nodes + place.astype(np.uint64)
            levels.append(level)
            nodes, depth = nodes + len(level), depth + 1
            going = going[lengths[going] > depth]
        edges = np.concatenate(levels) if levels else np.zeros(0, np.uint64)
        marks = np.zeros(nodes, np.uint8)
        marks[node] |= _ENDS
        marks[edges >> _WORD_BITS] |= _GOES_ON
        return cls(words, edges, marks), node

    @classmethod
    def among(cls, arrays: Mapping[str, Array], words: int) -> Trie:
        return cls(words, arrays["trie.edges"], arrays["trie.marks"])

    def to_arrays(self) -> dict[str, Array]:
        return {"trie.edges": self.edges, "trie.marks": self.marks}

    def walk(self, words: NDArray[np.int64], joined: NDArray[np.bool_]) -> Spans:
        """Every sequence in a row of words; it may go on at a word only where `joined` says so."""
        first = np.flatnonzero(words >= 0)
        node, depth = words[first], 1
        found: list[Spans] = []
        while len(first):
            marks = self.marks[node]
            ends = np.flatnonzero(marks & _ENDS)
            found.append(Spans(first[ends], np.full(len(ends), depth), node[ends]))
            going = marks & _GOES_ON != 0
            going &= first + depth < len(words)
            first, node = first[going], node[going]
            following = words[first + depth]
            going = (following >= 0) & joined[first + depth]
            first, node = self._step(first[going], node[going], following[going])
            depth += 1
        if not found:
            nothing = np.zeros(0, np.int64)
            return Spans(nothing, nothing, nothing)
        return Spans(*(np.concatenate([getattr(one, name) for one in found]) for name in Spans.__slots__))

    def _step(
        self, first: NDArray[np.int64], node: NDArray[np.int64], word: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Those that go on with these words, and the nodes they come to."""
        keys = node.astype(np.uint64) << _WORD_BITS | word.astype(np.uint64)
        places = np.searchsorted(self.edges, keys)
        there = places < len(self.edges)
        there[there] = self.edges[places[there]] == keys[there]
        return first[there], places[there] + self.words
