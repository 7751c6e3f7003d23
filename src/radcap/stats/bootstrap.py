"""The bootstrap over images, or over groups of them: the same resamples for every run and every metric.

Invariant: a column's mean is over its own images, so a metric that skips images keeps its own n.
>>> means = resampled_means(np.array([[0.0], [1.0], [1.0], [0.0]]), resamples=200, seed=1)
>>> percentile_interval(means[:, 0], 0.5)
Interval(low=0.25, high=0.75)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.stats.arrays import Floats, distinct_columns, rows_at_once, sums_by_group
from radcap.stats.comparison import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["paired_bootstrap_p", "percentile_interval", "resampled_means"]

_ROUNDING = 1e-12  # of the largest difference: exact ties count as far


def resampled_means(
    values: Floats, *, resamples: int, seed: int, groups: Sequence[str] | None = None
) -> Floats:
    """The mean of each column in each resample of the images: (resamples, columns).

    `values` is (images, columns) with at least one image; a NaN does not count. A resample that
    holds no image of a column has the mean NaN. With `groups`, the group of each image, whole groups are
    drawn: images of one patient say less than as many of different ones.
    """
    columns, place = distinct_columns(values)
    counts = ~np.isnan(columns)
    terms = np.hstack([np.where(counts, columns, 0.0), counts])
    if groups is not None:
        terms = sums_by_group(terms, groups)
    products = [weights @ terms for weights in _weights(len(terms), resamples, seed)]
    sums, numbers = np.hsplit(np.vstack(products), 2)
    means = np.divide(sums, numbers, out=np.full_like(sums, np.nan), where=numbers > 0)
    return means[:, place]


def _weights(images: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each image is drawn, a few resamples at a time."""
    generator = np.random.default_rng(seed)
    step = rows_at_once(images)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = generator.integers(0, images, size=(rows, images))
        drawn += images * np.arange(rows)[:, None]  # each row counts in cells of its own
        counts = np.bincount(drawn.ravel(), minlength=rows * images)
        yield counts.reshape(rows, images).astype(np.float64)


def percentile_interval(means: Floats, level: float) -> Interval:
    """The middle part of resampled values. NaN is left out; without any value both ends are NaN."""
    known = means[~np.isnan(means)]
    if not known.size:
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def paired_bootstrap_p(differences: Floats, observed: float) -> float:
    """How often a resampled difference lies as far from its mean as the observed one from 0, on either side.

    sacrebleu centres sizes instead of differences and counts one side only, which gives a
    smaller p and calls equal systems different more often than its level says.
    >>> paired_bootstrap_p(np.array([0.1, 0.2, 0.3, 0.2]), 0.2)
    0.2
    """
    known = differences[~np.isnan(differences)]
    if not known.size:
        return 1.0
    apart = np.abs(known - known.mean())
    far = int(np.count_nonzero(apart >= abs(observed) - _ROUNDING * np.abs(known).max()))
    return (far + 1) / (len(known) + 1)
