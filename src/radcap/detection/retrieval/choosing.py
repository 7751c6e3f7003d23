"""The vectors that may be among the nearest k of a query, by their coarse values.

Invariant: a vector is left out only if it is proven to be farther than k others.

To partition 80,000 values per query costs more than their products. The highest value of each group of
columns is had in one sweep. The best vectors of the k best groups are compared truly: the k-th neighbour is
at least as near as the farthest of them, and most groups lie below that.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.vectors import Floats

__all__ = ["Choice", "Places", "lowest"]

_GROUP = 16  # columns
_GROUPS_PER_NEIGHBOUR = 8  # fewer groups, and the best vectors fall into the same ones

Places: TypeAlias = NDArray[np.int64]


class Choice:
    """A block of coarse values in groups: group g holds every `width`-th column from g on.

    The columns that are left over at the end are groups of their own.
    """

    def __init__(self, values: NDArray[Any], k: int) -> None:
        self._values = values
        self._size = int(np.clip(values.shape[1] // (_GROUPS_PER_NEIGHBOUR * k), 1, _GROUP))
        self._width = values.shape[1] // self._size
        whole = values[:, : self._width * self._size].reshape(len(values), self._size, self._width)
        self._highest = np.concatenate([whole.max(axis=1), values[:, self._width * self._size :]], axis=1)
        groups = np.argpartition(self._highest, -k, axis=1)[:, -k:]
        self.first = self._best_of(groups)  # the columns of k near vectors for each row

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Which of the first may be neighbours at all."""
        return np.take_along_axis(self._values, self.first, axis=1) > lowest(self._values)

    def others(self, cut: Floats) -> tuple[Places, Places]:
        """Rows, ascending, and columns of all but the first whose value is at least that of the cut."""
        cut = _as(cut, self._values)
        rows, groups = np.nonzero(self._highest >= cut[:, None])
        whole = groups < self._width
        shared, alone = groups[whole], groups[~whole]
        rows = np.concatenate([np.repeat(rows[whole], self._size), rows[~whole]])
        columns = np.concatenate([self._columns(shared).ravel(), alone + self._width * (self._size - 1)])
        np.put_along_axis(self._values, self.first, lowest(self._values), axis=1)
        found = self._values[rows, columns]
        kept = (found >= cut[rows]) & (found > lowest(self._values))
        rows, columns = rows[kept], columns[kept]
        order = np.argsort(rows, kind="stable")  # the columns that are left over came last
        return rows[order], columns[order]

    def _best_of(self, groups: Places) -> Places:
        """The column of the highest value of each group."""
        columns = self._columns(groups)
        columns[groups >= self._width] = (groups + self._width * (self._size - 1))[
            groups >= self._width, None
        ]
        best = self._values[np.arange(len(groups))[:, None, None], columns].argmax(axis=2)
        places = np.indices(groups.shape)
        return columns[places[0], places[1], best]

    def _columns(self, groups: Places) -> Places:
        """The columns of groups that are whole."""
        return np.add.outer(groups, self._width * np.arange(self._size, dtype=np.int64))


def lowest(values: NDArray[Any]) -> float | int:
    """A coarse value that no pair has: it marks those that do not count."""
    return int(np.iinfo(values.dtype).min) if np.issubdtype(values.dtype, np.integer) else -np.inf


def _as(cut: Floats, values: NDArray[Any]) -> NDArray[Any]:
    """The cut as a number of the values' own kind, never higher: integers compare faster than mixtures."""
    if not np.issubdtype(values.dtype, np.integer):
        return cut
    return np.floor(np.clip(cut.astype(np.float64), lowest(values), -lowest(values) - 1)).astype(values.dtype)
