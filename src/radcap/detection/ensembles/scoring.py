"""F1 of many candidate ensembles at once, from the few cells that any of them could choose.

Invariant: an image with two empty sets scores 1, as the task's scorer does; the mean runs over all images.
A label that no candidate can choose costs recall only, so it is kept as a count per image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.ensembles.values import Decided

__all__ = ["F1", "Cells", "cells_at", "cells_of", "f1_scores"]

F1: TypeAlias = Literal["sample-f1", "micro-f1"]
Floats: TypeAlias = NDArray[np.float64]

_BITS = 16
_HIT = 2**_BITS  # labels: no image has so many


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The pairs of image and label that matter, image by image, and what is true of each image."""

    rows: NDArray[np.intp]  # of the pairs in the whole array, ascending
    columns: NDArray[np.intp]
    marks: NDArray[np.int32]  # of the pairs: 1, and _HIT more where the label is true
    starts: NDArray[np.intp]  # where the pairs of each image that has any begin
    positives: NDArray[np.int64]  # true labels of each such image, outside the pairs too
    lost: NDArray[np.int64]  # true labels of the images without pairs


def cells_of(possible: Decided, truth: Decided) -> Cells:
    """The cells of (image, label) that some candidate may choose."""
    rows, columns = np.nonzero(possible)
    return cells_at(rows, columns, truth[rows, columns], truth.sum(axis=1))


def cells_at(
    rows: NDArray[np.intp], columns: NDArray[np.intp], true: Decided, positives: NDArray[np.int64]
) -> Cells:
    """Cells by their places, ascending: which of them are true, and how many labels each image has."""
    marks = np.where(true, 1 + _HIT, 1).astype(np.int32)
    images, starts = np.unique(rows, return_index=True)
    return Cells(rows, columns, marks, starts, positives[images], np.delete(positives, images))


def f1_scores(cells: Cells, chosen: Decided, objective: F1) -> Floats:
    """The F1 of every candidate; `chosen` is (candidate, cell)."""
    sums = np.zeros((len(chosen), 0), np.int32)
    if len(cells.starts):
        sums = np.add.reduceat(np.where(chosen, cells.marks, np.int32(0)), cells.starts, axis=1)
    hits, size = sums >> _BITS, sums & (_HIT - 1)  # both counts in one sum
    both = size + cells.positives
    if objective == "micro-f1":
        total = both.sum(axis=1) + cells.lost.sum()
        return np.where(total, 2 * hits.sum(axis=1) / np.maximum(total, 1), 1.0)
    each = np.where(both, 2 * hits / np.maximum(both, 1), 1.0).sum(axis=1)
    images = both.shape[1] + len(cells.lost)
    return (each + np.count_nonzero(cells.lost == 0)) / max(images, 1)
