"""How firm a rank is: the ranks a run takes when the images are drawn again.

Invariant: ranks in a resample are competition ranks; a range is made of ranks that did occur.
>>> means = np.array([[0.9, 0.5, 0.5], [0.8, 0.6, 0.5], [0.7, 0.8, 0.5]])
>>> resampled_rank_ranges(means, 0.95)[1]
RankRange(best=1, worst=2)
"""

from __future__ import annotations

import numpy as np

from radcap.stats.arrays import Floats
from radcap.stats.comparison import RankRange

__all__ = ["resampled_rank_ranges"]

_DIGITS = 12  # means that agree so far are equal: a matrix product leaves noise in the last bits


def resampled_rank_ranges(means: Floats, level: float) -> list[RankRange]:
    """The range of each run's rank over the resamples, from (resamples, runs).

    A resample without a value for some run has no ranks. Without any resample every rank is possible.
    """
    known = means[~np.isnan(means).any(axis=1)]
    if not known.size:
        return [RankRange(1, means.shape[1])] * means.shape[1]
    scale = np.abs(known).max() or 1.0
    rounded = np.round(known / scale, _DIGITS)
    return [_range(rounded, run, level) for run in range(means.shape[1])]


def _range(means: Floats, run: int, level: float) -> RankRange:
    ranks = 1 + np.count_nonzero(means > means[:, [run]], axis=1)
    best = np.quantile(ranks, (1 - level) / 2, method="lower")
    worst = np.quantile(ranks, (1 + level) / 2, method="higher")
    return RankRange(int(best), int(worst))
