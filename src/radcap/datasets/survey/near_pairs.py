"""Every pair of 64-bit hashes that differ in few bits, without comparing all with all.

Invariant: the pairs are exactly those that comparing all with all would give. If two hashes differ in at most
d bits and the 64 bits are cut into more than d bands, some bands are equal in both; so only hashes that share
bands are compared. Up to three bits these are 4 bands of 16, one of them shared; beyond, two shared ones of
d + 2 are asked for, which keeps the crowds small. Memory grows with the hashes and the pairs found, not with
the pairs compared.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["MAX_DISTANCE", "near_pairs"]

MAX_DISTANCE = 7
_BITS = 64
_ONE_BAND = 3  # the largest distance for which one shared band of 16 bits is choosy enough


def near_pairs(hashes: NDArray[np.uint64], distance: int = 3) -> NDArray[np.int64]:
    """The places i < j of all hashes at most `distance` bits apart, as rows, sorted."""
    if not 0 <= distance <= MAX_DISTANCE:
        raise UsageError(f"The distance is {distance} bits. It can be 0 to {MAX_DISTANCE}.")
    masks = _masks(distance)
    found = [pairs for place in range(len(masks)) for pairs in _sharing(hashes, masks[: place + 1], distance)]
    pairs = np.concatenate([np.zeros((0, 2), np.int64), *found])
    pairs.sort(axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _masks(distance: int) -> list[np.uint64]:
    """The bits that are compared for equality, one set of them after the other."""
    shared = 1 if distance <= _ONE_BAND else 2
    bands = _bands(max(distance, _ONE_BAND) + shared)
    return [np.uint64(sum(chosen)) for chosen in combinations(bands, shared)]


def _bands(n: int) -> list[int]:
    """64 bits cut into n parts of nearly one size, each as a mask."""
    edges = [_BITS * i // n for i in range(n + 1)]
    return [(1 << high) - (1 << low) for low, high in pairwise(edges)]


def _sharing(
    hashes: NDArray[np.uint64], masks: list[np.uint64], distance: int
) -> Iterator[NDArray[np.int64]]:
    """Pairs that are equal under the last mask; what an earlier one has found is not given again."""
    *earlier, mask = masks
    keys = _keys(hashes, int(mask))
    order = np.argsort(keys, kind="stable")
    keys, ordered = keys[order], hashes[order]
    ends = _ends(keys)
    first = np.flatnonzero(ends - np.arange(len(keys)) > 1)
    step = 1
    while len(first):
        differing = ordered[first] ^ ordered[first + step]
        near = np.flatnonzero(np.bitwise_count(differing) <= distance)
        near = near[_new(differing[near], earlier)]
        if len(near):
            yield np.stack((order[first[near]], order[first[near] + step]), axis=1)
        step += 1
        first = first[ends[first] - first > step]


def _keys(hashes: NDArray[np.uint64], mask: int) -> NDArray[np.uint64] | NDArray[np.uint16]:
    """The bits under a mask; one band in words of 16 bits, which NumPy sorts by radix, ten times as fast."""
    keys = hashes & np.uint64(mask)
    low = (mask & -mask).bit_length() - 1
    return (keys >> np.uint64(low)).astype(np.uint16) if mask >> low < 1 << 16 else keys


def _ends(keys: NDArray[Any]) -> NDArray[np.int64]:
    """For each of the sorted keys the place behind the last that equals it."""
    starts = (
        np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, int)
    )
    sizes = np.diff(np.append(starts, len(keys)))
    return np.repeat(starts + sizes, sizes)


def _new(differing: NDArray[np.uint64], earlier: list[np.uint64]) -> NDArray[np.bool_]:
    new = np.ones(len(differing), bool)
    for mask in earlier:
        new &= (differing & mask) != 0
    return new
