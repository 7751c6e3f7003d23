"""The paired sign-flip permutation test, for all pairs of runs and all metrics at once.

Invariant: p is never 0, runs with equal values have p = 1, and exact ties count as 'at least as far apart'.
If signs s flip the differences of runs a and b, then sum(s * (a - b)) = s.a - s.b: one product
of the signs with all columns serves every pair.
>>> values = np.array([[[0.9, 0.5]], [[0.8, 0.5]], [[0.7, 0.6]]])  # three images, one metric, two runs
>>> test = sign_flip_test(values, permutations=100, seed=1)
>>> test.exact, test.draws, float(test.p[0, 0, 1])
(True, 8, 0.25)
>>> test = sign_flip_test(values, permutations=100, seed=1, groups=["x", "x", "y"])
>>> test.draws, float(test.p[0, 0, 1])
(4, 0.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats.arrays import Floats, rows_at_once, sums_by_group
from radcap.stats.draws import takes_all_patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["SignFlipTest", "sign_flip_test"]

_WORD = 2**64 - 1  # whole words: how many rows are drawn together changes none of them
_ROUNDING = 1e-12  # of all that is summed: far above what adding loses, far below any real difference


@dataclass(frozen=True, slots=True)
class SignFlipTest:
    """Two-sided p of every pair, (metrics, runs, runs), and how many sign patterns it rests on."""

    p: Floats
    draws: int
    exact: bool  # every pattern once, so p = c/draws; else random ones, p = (c + 1)/(draws + 1)


def sign_flip_test(
    values: Floats, *, permutations: int, seed: int, groups: Sequence[str] | None = None
) -> SignFlipTest:
    """Test all pairs of runs in `values`, which is (images, metrics, runs).

    NaN marks an image that a metric leaves out, for all runs alike. If the images allow no more
    sign patterns than `permutations`, all of them are taken and the seed has no influence. With `groups`, the
    group of each image, whole groups are flipped: images of one patient are not independent.
    """
    counted = ~np.isnan(values).all(axis=(1, 2))
    centred = _centred(values)[counted]
    limits = _limits(centred)
    if groups is not None:
        centred = _summed(centred, np.asarray(groups)[counted].tolist())
    units = len(centred)
    if takes_all_patterns(units, permutations):
        draws = 2**units
        return SignFlipTest(_far_apart(centred, limits, _all_flips(units)) / draws, draws, exact=True)
    far = _far_apart(centred, limits, _random_flips(units, permutations, seed))
    return SignFlipTest((far + 1) / (permutations + 1), permutations, exact=False)


def _centred(values: Floats) -> Floats:
    """Values less the mean of the runs, which no difference needs."""
    absent = np.isnan(values)
    if not np.array_equal(absent.any(axis=2), absent.all(axis=2)):
        raise ValueError("Runs under one metric must leave out the same images.")
    known = np.where(absent, 0.0, values)
    return np.where(absent, 0.0, known - known.mean(axis=2, keepdims=True))


def _summed(centred: Floats, groups: Sequence[str]) -> Floats:
    images, metrics, runs = centred.shape
    return sums_by_group(centred.reshape(images, metrics * runs), groups).reshape(-1, metrics, runs)


def _all_flips(images: int) -> Iterator[Floats]:
    step = rows_at_once(images)
    for start in range(0, 2**images, step):
        codes = np.arange(start, min(start + step, 2**images))
        yield (codes[:, None] >> np.arange(images) & 1).astype(np.float64)


def _random_flips(images: int, permutations: int, seed: int) -> Iterator[Floats]:
    generator = np.random.default_rng(seed)
    step = rows_at_once(images)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        words = generator.integers(_WORD, size=(rows, -(-images // 64)), dtype=np.uint64, endpoint=True)
        # Bytes in one order everywhere, so that a seed means the same draws on every machine.
        yield np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=images).astype(np.float64)


def _far_apart(centred: Floats, limits: Floats, flips: Iterable[Floats]) -> Floats:
    """In how many draws each pair is at least as far apart as observed: (metrics, runs, runs)."""
    units, metrics, runs = centred.shape
    flat = centred.reshape(units, metrics * runs)
    total = flat.sum(axis=0)
    counts = np.zeros((metrics, runs, runs))
    for flip in flips:
        sums = (total - 2 * (flip @ flat)).reshape(len(flip), metrics, runs)  # a flip is 1: sign -1
        for run in range(runs):
            apart = np.abs(sums - sums[:, :, run, None])
            counts[:, run] += np.count_nonzero(apart >= limits[:, run], axis=0)
    return counts


def _limits(centred: Floats) -> Floats:
    """The observed distance of each pair of sums, less what rounding may have taken."""
    sums = centred.sum(axis=0)
    sizes = np.abs(centred).sum(axis=0)
    apart = np.abs(sums[:, :, None] - sums[:, None, :])
    return apart - _ROUNDING * (sizes[:, :, None] + sizes[:, None, :])
