"""Which of overlapping spans stay: the longest, and among equally long ones the first.

Invariant: no two spans that stay share a word; each one that goes shares a word with one that stays and is
at least as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["longest"]


def longest(first: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which spans stay; they may come in any order."""
    order = np.lexsort((-count, first))
    begin, end = first[order], (first + count)[order]
    reach = np.maximum.accumulate(end) if len(end) else end
    # a cluster begins where no span before reaches
    opens = np.concatenate(([True], begin[1:] >= reach[:-1]))[: len(begin)]
    cluster = np.cumsum(opens) - 1
    alone = (np.bincount(cluster) == 1)[cluster] if len(cluster) else opens
    stays = np.zeros(len(first), np.bool_)
    stays[order[alone]] = True
    crowded = order[~alone]
    _settle(crowded[np.lexsort((first[crowded], -count[crowded]))], first, count, stays)
    return stays


def _settle(
    places: NDArray[np.int64], first: NDArray[np.int64], count: NDArray[np.int64], stays: NDArray[np.bool_]
) -> None:
    """Take spans as long as their words are free."""
    taken: set[int] = set()
    spans = zip(places.tolist(), first[places].tolist(), count[places].tolist(), strict=True)
    for place, begin, words in spans:
        covered = range(begin, begin + words)
        if taken.isdisjoint(covered):
            taken.update(covered)
            stays[place] = True
