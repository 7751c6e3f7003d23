"""Which images a report shows.

Invariant: the same dataset, number and seed give the same images. Every modality of every split is seen as
long as there is room; after that, rare ones get more than their share and frequent ones fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.statistics.counting import Partition

__all__ = ["allotted", "stratified_sample"]


def stratified_sample(
    modalities: Partition, splits: Partition, kinds: Partition, n: int, seed: int
) -> NDArray[np.int64]:
    """Places of `n` images in random order; within a stratum the kinds of caption take turns."""
    rng = np.random.default_rng(seed)
    strata, members = np.unique(modalities.codes * len(splits.names) + splits.codes, return_inverse=True)
    sizes = np.bincount(members, minlength=len(strata))
    chosen = [
        _in_turns(rng.permutation(np.flatnonzero(members == place)), kinds.codes)[:wanted]
        for place, wanted in enumerate(allotted(sizes, n).tolist())
    ]
    return rng.permutation(np.concatenate([np.zeros(0, np.int64), *chosen]))


def allotted(sizes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """How many of each stratum: the next image goes where the square root of the size asks most for it.

    >>> allotted(np.array([900, 100, 1]), 8).tolist()
    [5, 2, 1]
    """
    given = np.zeros(len(sizes), np.int64)
    for _ in range(min(n, int(sizes.sum()))):
        need = np.where(given < sizes, np.sqrt(sizes) / (given + 0.5), -1.0)
        need = np.where((given == 0) & (sizes > 0), need + np.sqrt(sizes.max()) * 4, need)  # none is left out
        given[int(np.argmax(need))] += 1
    return given


def _in_turns(rows: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows so that the first of each kind comes first, then the second of each, and so on."""
    by_kind = np.argsort(codes[rows], kind="stable")
    starts = np.unique(codes[rows][by_kind], return_index=True)[1]
    turn = np.empty(len(rows), np.int64)
    turn[by_kind] = np.arange(len(rows)) - np.repeat(starts, np.diff([*starts, len(rows)]))
    return rows[np.argsort(turn, kind="stable")]
