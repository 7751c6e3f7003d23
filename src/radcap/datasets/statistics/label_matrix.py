"""The concepts of a dataset as numbers: which image has which concept.

Invariant: a concept counts once on an image, however often it is written there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.datasets.lists import rows_of, single

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.statistics.counting import Partition

__all__ = ["LabelMatrix", "label_matrix"]


@dataclass(frozen=True, slots=True)
class LabelMatrix:
    """Pairs of image and concept, as places; `cuis` are sorted."""

    cuis: tuple[Cui, ...]
    images: int
    rows: NDArray[np.int64]
    codes: NDArray[np.int64]

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """On how many images each concept stands."""
        return np.bincount(self.codes, minlength=len(self.cuis))

    @property
    def per_image(self) -> NDArray[np.int64]:
        """How many concepts each image has."""
        return np.bincount(self.rows, minlength=self.images)

    def frequencies_by(self, groups: Partition) -> NDArray[np.int64]:
        """On how many images of each group each concept stands: one row for each group."""
        shape = (len(groups.names), len(self.cuis))
        flat = groups.codes[self.rows] * shape[1] + self.codes
        return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)


def label_matrix(column: Any) -> LabelMatrix:
    """A column of lists of concepts as pairs."""
    lists = single(column)
    coded = lists.flatten().dictionary_encode()
    written: list[str] = coded.dictionary.to_pylist()
    order = np.argsort(np.argsort(np.array(written, str))) if written else np.zeros(0, np.int64)
    width = max(1, len(written))
    codes = order[coded.indices.to_numpy()] if written else order
    pairs = _once(rows_of(lists) * width + codes)
    return LabelMatrix(tuple(sorted(written)), len(lists), pairs // width, pairs % width)


def _once(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each number once, sorted. They are nearly in order: a stable sort is faster than `unique`."""
    pairs.sort(kind="stable")
    return pairs[np.diff(pairs, prepend=-1) > 0]
