"""The labels of many images, as codes in a row.

Invariant: the codes of image i are `codes[starts[i]:starts[i + 1]]`, ascending and each once.
>>> Tags.of(np.array([[True, False, True], [False, False, False]])).codes
array([0, 2], dtype=int32)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tags"]

_CELLS = 2**22  # of (query, label): counted together


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """Which labels each image has; `width` is the number of all labels."""

    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    width: int

    @classmethod
    def of(cls, truth: NDArray[np.bool_]) -> Tags:
        rows, columns = np.nonzero(truth)
        starts = np.searchsorted(rows, np.arange(len(truth) + 1)).astype(np.int64)
        return cls(starts, columns.astype(np.int32), truth.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many labels each image has."""
        return np.diff(self.starts)

    @property
    def shares(self) -> NDArray[np.float64]:
        """How much of all images has each label."""
        return np.bincount(self.codes, minlength=self.width) / max(1, len(self))

    def votes(self, places: NDArray[np.int64], weights: NDArray[Any]) -> NDArray[np.float32]:
        """The summed weights of neighbours that have a label: (query, label). A place of -1 has no vote."""
        sums = np.zeros((len(places), self.width), np.float32)
        step = max(1, _CELLS // max(1, self.width))
        for start in range(0, len(places), step):
            block = slice(start, start + step)
            sums[block] = self._votes(places[block], weights[block])
        return sums

    def spelt(
        self, places: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Every label of every neighbour: its query, its rank among the neighbours, and its code."""
        rows, columns = np.nonzero(places >= 0)
        near = places[rows, columns]
        many = self.counts[near]
        # the codes of all neighbours in a row: counting on from where those of each begin
        steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        codes = self.codes[np.repeat(self.starts[near], many) + steps]
        return np.repeat(rows, many), np.repeat(columns, many), codes

    def _votes(self, places: NDArray[np.int64], weights: NDArray[Any]) -> NDArray[np.float64]:
        rows, columns, codes = self.spelt(places)
        cells = rows * self.width + codes
        given = weights[rows, columns].astype(np.float64)
        found = np.bincount(cells, given, len(places) * self.width).astype(np.float64)
        return found.reshape(len(places), self.width)
