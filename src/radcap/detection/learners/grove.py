"""Many trees as arrays, walked all at once.

A node asks for one feature: above its threshold the way goes to the right child, else to the left one.
Children lie side by side, so the right one is the left one and 1; a leaf is its own left child under a
threshold that nothing is above. Leaves hold a value for each label, or one value, where trees are of one
label each: then those of the first label come first.
Invariant: children come after their parents, so every walk ends; what is read is checked for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from radcap.detection.learners.learner import Floats

__all__ = ["Grove", "Numbers"]

Numbers: TypeAlias = NDArray[np.int64]

_TOGETHER = 1 << 20  # walks at a time


@dataclass(frozen=True, slots=True, eq=False)
class Grove:
    """The nodes of all trees, where each tree begins, and what its leaves say."""

    features: Numbers
    thresholds: Floats
    left: Numbers
    rows: Numbers  # of a leaf: its row of values
    roots: Numbers
    values: Floats  # leaves x labels, or leaves x 1
    labels: int

    @property
    def depth(self) -> int:
        """The longest way from a root to a leaf."""
        steps, here = 0, self.roots
        while len(inner := here[self.left[here] != here]):
            here, steps = np.unique(np.concatenate([self.left[inner], self.left[inner] + 1])), steps + 1
        return steps

    def total(self, vectors: Floats) -> Floats:
        """What all trees say together: n x labels."""
        some, depth = max(1, _TOGETHER // len(self.roots)), self.depth
        parts = [self._said(vectors[at : at + some], depth) for at in range(0, len(vectors), some)]
        return np.concatenate(parts) if parts else np.zeros((0, self.labels), np.float32)

    def _said(self, vectors: Floats, depth: int) -> Floats:
        rows = self.rows.take(self._leaves(vectors, depth))
        if self.values.shape[1] == 1:
            return self.values[:, 0].take(rows).reshape(len(vectors), self.labels, -1).sum(axis=2)
        said = np.zeros((len(vectors), self.labels), np.float32)
        for column in rows.T:
            said += self.values[column]
        return said

    def _leaves(self, vectors: Floats, depth: int) -> Numbers:
        """The leaf of each image in each tree."""
        flat: Floats = np.ascontiguousarray(vectors).ravel()
        width = vectors.shape[1]
        begin = (np.arange(len(vectors)) * width)[:, None]
        nodes = np.tile(self.roots, (len(vectors), 1))
        for _ in range(depth):
            seen = flat[begin + self.features[nodes]]
            above = np.greater(seen, self.thresholds[nodes])
            nodes = self.left[nodes] + above
        return nodes
