"""Means over images with their intervals, as every board has them: whole groups are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats import Procedure, percentile_interval, resampled_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Figure", "figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over images, and its interval."""

    value: float
    low: float
    high: float


def figures(columns: Mapping[str, Sequence[float]], groups: Sequence[str]) -> dict[str, Figure]:
    """Of each column of values; all are drawn alike."""
    usual = Procedure()
    values = np.column_stack([np.asarray(one, np.float64) for one in columns.values()])
    drawn = resampled_means(values, resamples=usual.resamples, seed=usual.seed, groups=groups)
    between = [percentile_interval(drawn[:, place], usual.level) for place in range(len(columns))]
    means = values.mean(axis=0).tolist()
    return {
        name: Figure(mean, one.low, one.high) for name, mean, one in zip(columns, means, between, strict=True)
    }
