"""A grove from the trees of other packages.

Invariant: the same way is taken for every vector in single precision as in the package: thresholds are
rounded so that a comparison with them comes out the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.learners.grove import Grove

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.detection.learners.grove import Numbers
    from radcap.detection.learners.learner import Floats

__all__ = ["Tree", "at_most", "below", "plant"]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree as packages have it: children anywhere, below 0 for a leaf; the root comes first."""

    left: Numbers
    right: Numbers
    features: Numbers
    thresholds: Floats
    values: Floats  # nodes x outputs


def at_most(thresholds: NDArray[np.float64]) -> Floats:
    """For trees that go left at x <= threshold: the largest float32 that is not above the threshold."""
    near = thresholds.astype(np.float32)
    return np.where(near > thresholds, np.nextafter(near, np.float32(-np.inf)), near)


def below(thresholds: Floats) -> Floats:
    """For trees that go left at x < threshold: the largest float32 below it."""
    return np.nextafter(thresholds, np.float32(-np.inf))


def plant(trees: Sequence[Tree], labels: int) -> Grove:
    """The trees in their order, one after another."""
    parts = [_ordered(tree) for tree in trees]
    nodes, leaves = (_begins([len(part[index]) for part in parts]) for index in (0, 4))
    return Grove(
        features=np.concatenate([part[0] for part in parts]),
        thresholds=np.concatenate([part[1] for part in parts]),
        left=np.concatenate([part[2] + at for part, at in zip(parts, nodes, strict=True)]),
        rows=np.concatenate([part[3] + at for part, at in zip(parts, leaves, strict=True)]),
        roots=nodes,
        values=np.concatenate([part[4] for part in parts]),
        labels=labels,
    )


def _begins(sizes: Sequence[int]) -> Numbers:
    return np.cumsum([0, *sizes[:-1]])


def _ordered(tree: Tree) -> tuple[Numbers, Floats, Numbers, Numbers, Floats]:
    """Features, thresholds, left children, rows and values of a tree, level by level."""
    order = _by_levels(tree)
    place = np.zeros(len(tree.left), np.int64)
    place[order] = np.arange(len(order))
    is_leaf = tree.left[order] < 0
    left = np.where(is_leaf, np.arange(len(order)), place[tree.left[order]])
    thresholds = np.where(is_leaf, np.float32(np.inf), tree.thresholds[order])
    rows = np.where(is_leaf, np.cumsum(is_leaf) - 1, 0)
    return np.where(is_leaf, 0, tree.features[order]), thresholds, left, rows, tree.values[order][is_leaf]


def _by_levels(tree: Tree) -> Numbers:
    """The nodes from the root down, the children of a node side by side."""
    levels = [np.zeros(1, np.int64)]
    while len(inner := levels[-1][tree.left[levels[-1]] >= 0]):
        levels.append(np.stack([tree.left[inner], tree.right[inner]], axis=1).ravel())
    return np.concatenate(levels)
