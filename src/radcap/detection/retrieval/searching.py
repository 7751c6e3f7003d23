"""The exact search: coarse values of a block of queries, the vectors that matter, their true values.

Invariant: the answer is that of comparing every pair, whatever the coarse values were made of.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.choosing import Choice, lowest
from radcap.detection.retrieval.coarse import Coarse
from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.ranking import nearest_of, values_of
from radcap.detection.retrieval.vectors import Vectors

__all__ = ["Hidden", "Search"]

Block: TypeAlias = Callable[[int, int], NDArray[Any]]
Compare: TypeAlias = Callable[[NDArray[Any], int], Neighbours]
Hidden: TypeAlias = Callable[[int, int], tuple[NDArray[np.int64], NDArray[np.int64]]]

_CELLS = 2**25  # coarse values at once: 128 MiB
_MOST_ROWS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """What is looked for and where. `hidden` names the pairs of a block of queries that do not count."""

    vectors: Vectors
    queries: Vectors
    k: int
    metric: Metric
    hidden: Hidden | None = None

    def exact(self, coarse: Coarse) -> Neighbours:
        """The nearest k of each query."""

        def compare(values: NDArray[Any], start: int) -> Neighbours:
            return self._exact_part(values, start, coarse)

        return self.by_blocks(coarse.block, compare)

    def by_blocks(self, block: Block, compare: Compare) -> Neighbours:
        """Coarse values block by block, and what `compare` makes of them on all cores.

        `compare` is told the values of some queries and the place of the first of them.
        """
        if not len(self.vectors):
            return Neighbours.none(len(self.queries), self.k)
        step = int(np.clip(_CELLS // len(self.vectors), 1, _MOST_ROWS))
        found = [Neighbours.none(0, self.k)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for start in range(0, len(self.queries), step):
                stop = min(start + step, len(self.queries))
                values = block(start, stop)
                if self.hidden is not None:
                    values[self.hidden(start, stop)] = lowest(values)
                parts = _slices(stop - start, os.cpu_count() or 1)
                work = [pool.submit(compare, values[part], start + part.start) for part in parts]
                found += [one.result() for one in work]
        return self.finished(Neighbours.joined(found))

    def finished(self, found: Neighbours) -> Neighbours:
        """Values as scores: minus half the squares become minus the distances."""
        if self.metric == "cosine":
            return found
        return Neighbours(found.places, -np.sqrt(-2 * found.scores))

    def _exact_part(self, values: NDArray[Any], start: int, coarse: Coarse) -> Neighbours:
        """The neighbours of the queries from `start` on, one for each row of values."""
        here = slice(start, start + len(values))
        where = self.vectors, self.queries[here], self.metric
        choice = Choice(values, min(self.k, values.shape[1]))
        known = np.where(choice.counts, values_of(choice.first, *where), -np.inf).astype(np.float32)
        # fewer than k that count prove nothing: minus infinity lets all others through
        cut = (known.min(axis=1) - coarse.slack[here] - coarse.offset[here]) / coarse.unit[here]
        return nearest_of(Neighbours(choice.first, known), choice.others(cut), where, self.k)


def _slices(count: int, parts: int) -> list[slice]:
    edges = np.linspace(0, count, min(parts, count) + 1).astype(int).tolist()
    return [slice(one, other) for one, other in pairwise(edges)]
