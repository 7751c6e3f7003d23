"""Sequences of tokens by what they begin with, and which beginnings the ends of many texts are.

Invariant: node 0 is the empty beginning; `nowhere` is that of no sequence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.captioning.generation.ragged import Ints

__all__ = ["Trie"]


class Trie:
    """A node for each beginning of a sequence, the whole sequence with them."""

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        edges: dict[tuple[int, int], int] = {}
        self.paths = [_path(sequence, edges) for sequence in sequences]  # the nodes of each, the root first
        self.longest = max((len(path) - 1 for path in self.paths), default=0)
        self.nowhere = len(edges) + 1
        self._stride = max((token for _, token in edges), default=0) + 2  # the last is a token of no sequence
        keys = np.array([node * self._stride + token for node, token in edges], np.int64)
        order = np.argsort(keys)
        # The last key is beyond all others, so that a search always finds a place.
        self._keys = np.append(keys[order], np.iinfo(np.int64).max)
        self._children = np.append(np.array([*edges.values()], np.int64)[order], self.nowhere)
        self._first = self._child(np.zeros(self._stride, np.int64), np.arange(self._stride))

    def ends(self, texts: Ints) -> Ints:
        """The node of the last l tokens of each text, n x (longest + 1); texts have `longest` tokens."""
        texts = np.minimum(texts, self._stride - 1)
        found = np.full((len(texts), self.longest + 1), self.nowhere)
        found[:, 0] = 0
        first = self._first[texts]
        row, place = np.nonzero(first != self.nowhere)
        node = first[row, place]
        for length in range(1, self.longest + 1):
            last = place + length == self.longest
            found[row[last], length] = node[last]
            row, place, node = row[~last], place[~last], node[~last]
            node = self._child(node, texts[row, place + length])
            there = node != self.nowhere
            row, place, node = row[there], place[there], node[there]
        return found

    def _child(self, node: Ints, token: Ints) -> Ints:
        key = node * self._stride + token
        place = np.searchsorted(self._keys, key)
        return np.where(self._keys[place] == key, self._children[place], self.nowhere)


def _path(sequence: Sequence[int], edges: dict[tuple[int, int], int]) -> list[int]:
    path = [0]
    for token in sequence:
        path.append(edges.setdefault((path[-1], token), len(edges) + 1))
    return path
