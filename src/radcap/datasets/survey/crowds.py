"""Crowds: pictures that look alike and are so many that the list of their pairs would help nobody.

Invariant: every two of a crowd have the same pHash and are nearly the same. Each differs from the first by
less than half the threshold, so no two of them differ by as much as the threshold. A crowd has more than
`LISTED` pictures; of fewer, all pairs are looked at. To pictures outside of it the first speaks for a crowd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.survey.components import groups_of_many
from radcap.datasets.survey.differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["LISTED", "find_crowds"]

LISTED = 32  # alike pictures whose pairs, some 500, are still listed one by one


def find_crowds(
    small: NDArray[np.uint8], hashes: NDArray[np.uint64], threshold: float
) -> tuple[tuple[int, ...], ...]:
    """Places of the pictures of each crowd, ascending."""
    _, labels = np.unique(hashes, return_inverse=True)
    large = [np.array(group) for group in groups_of_many(labels) if len(group) > LISTED]
    return tuple(crowd for group in large for crowd in _crowds(small, group, threshold / 2))


def _crowds(small: NDArray[np.uint8], rest: NDArray[np.int64], limit: float) -> Iterator[tuple[int, ...]]:
    """The first picture that is left, with all that are like it, again and again."""
    while len(rest) > LISTED:
        pairs = np.stack([np.full(len(rest), rest[0]), rest], axis=1)
        like = differences(small, pairs) < limit
        if np.count_nonzero(like) > LISTED:
            yield tuple(rest[like].tolist())
        rest = rest[~like]
