"""Connected components: what hangs together by pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["components", "groups_of_many"]


def components(n: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of n things the lowest number that it hangs together with.

    >>> components(4, np.array([[1, 2], [2, 3]])).tolist()
    [0, 1, 1, 1]
    """
    lowest = np.arange(n)
    if not len(pairs):
        return lowest
    while True:
        before = lowest.copy()
        shared = np.minimum(lowest[pairs[:, 0]], lowest[pairs[:, 1]])
        # the roots of both ends are lowered too, so that long chains need few rounds
        for ends in (lowest[pairs[:, 0]], lowest[pairs[:, 1]], pairs[:, 0], pairs[:, 1]):
            np.minimum.at(lowest, ends, shared)
        while not np.array_equal(lowest, lowest[lowest]):
            lowest = lowest[lowest]
        if np.array_equal(before, lowest):
            return lowest


def groups_of_many(labels: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """The places that share a label, where they are more than one; in the order of their first places."""
    _, numbers, times = np.unique(labels, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(times[numbers] > 1)
    order = shared[np.argsort(numbers[shared], kind="stable")]
    cuts = np.flatnonzero(np.diff(numbers[order])) + 1
    groups = (tuple(group.tolist()) for group in np.split(order, cuts))
    return tuple(sorted(group for group in groups if group))
