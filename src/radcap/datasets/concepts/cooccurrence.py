"""Which concepts stand on the images of a concept.

Invariant: work and memory grow with the labels that are looked at, never with the square of the number of
concepts: there is no matrix of all pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.statistics.label_matrix import LabelMatrix

__all__ = ["CoOccurrence", "RowsByCode"]


class RowsByCode:
    """The rows of each code, in the order they were given."""

    def __init__(self, rows: NDArray[np.int64], codes: NDArray[np.int64], n: int) -> None:
        self._rows = rows[np.argsort(codes, kind="stable")]
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=n))))

    def __getitem__(self, code: int) -> NDArray[np.int64]:
        return self._rows[self._starts[code] : self._starts[code + 1]]


class CoOccurrence:
    """Labels by image and by concept, for counting one concept at a time."""

    def __init__(self, labels: LabelMatrix) -> None:
        self._labels = labels
        self._by_code = RowsByCode(labels.rows, labels.codes, len(labels.cuis))
        self._starts = np.searchsorted(labels.rows, np.arange(labels.images + 1))  # rows are sorted

    def images(self, code: int) -> NDArray[np.int64]:
        """The rows that have a concept, ascending."""
        return self._by_code[code]

    def codes(self, row: int) -> NDArray[np.int64]:
        """The concepts of one row."""
        return self._labels.codes[self._starts[row] : self._starts[row + 1]]

    def together(self, code: int) -> NDArray[np.int64]:
        """On how many images each concept stands beside this one; beside itself on none."""
        rows = self.images(code)
        first, last = self._starts[rows], self._starts[rows + 1]
        counts = last - first
        places = np.repeat(last - np.cumsum(counts), counts) + np.arange(int(counts.sum()))
        found = np.bincount(self._labels.codes[places], minlength=len(self._labels.cuis))
        found[code] = 0
        return found
