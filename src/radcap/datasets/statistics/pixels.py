"""Sizes, intensities, colours and formats of the images, from a survey of their pixels.

Invariant: only images that could be decoded count. Each image weighs the same in an intensity histogram,
however many pixels it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from radcap.datasets.statistics.counting import Count, count_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.statistics.counting import Partition
    from radcap.datasets.survey.survey import Survey

__all__ = ["Binned", "PixelStatistics", "Quantiles", "SizeStatistics", "pixel_statistics"]

_SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
_BINS = 32
_CHUNK = 8192  # rows turned into floats at a time


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Where parts of the numbers end; of no numbers, all is zero."""

    minimum: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Binned:
    """Counts in bins of equal width from `low` to `high`."""

    low: float
    high: float
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SizeStatistics:
    """Width and height of some images, in pixels."""

    images: int
    width: Quantiles
    height: Quantiles


@dataclass(frozen=True, slots=True)
class PixelStatistics:
    """What the pixels of a dataset say; intensities are shares over 128 steps from black to white."""

    decoded: int
    refused: tuple[Count, ...]  # by code
    kinds: tuple[Count, ...]  # file formats
    grey: int
    colour: int
    bytes_total: int
    bytes: Quantiles
    size: SizeStatistics
    size_by_modality: Mapping[str, SizeStatistics]
    size_by_split: Mapping[str, SizeStatistics]
    widths: Binned
    heights: Binned
    intensity: tuple[float, ...]
    intensity_by_modality: Mapping[str, tuple[float, ...]]
    intensity_by_split: Mapping[str, tuple[float, ...]]


def pixel_statistics(
    dataset: Dataset, survey: Survey, modalities: Partition, splits: Partition
) -> PixelStatistics:
    """The survey of a dataset as statistics; a survey of other images is refused."""
    survey.require(dataset)
    good = survey.decoded
    everything = np.flatnonzero(good)
    colour = int(survey.colour[good].sum())
    return PixelStatistics(
        decoded=len(everything),
        refused=count_values(pa.array(survey.refused, pa.string())),
        kinds=count_values(pa.array(survey.kinds, pa.string()).filter(pa.array(good))),
        grey=len(everything) - colour,
        colour=colour,
        bytes_total=int(survey.sizes_bytes[good].sum()),
        bytes=_quantiles(survey.sizes_bytes[good]),
        size=_sizes(survey, everything),
        size_by_modality={name: _sizes(survey, rows) for name, rows in _groups(modalities, good)},
        size_by_split={name: _sizes(survey, rows) for name, rows in _groups(splits, good)},
        widths=_binned(survey.widths[good]),
        heights=_binned(survey.heights[good]),
        intensity=_intensity(survey, everything),
        intensity_by_modality={name: _intensity(survey, rows) for name, rows in _groups(modalities, good)},
        intensity_by_split={name: _intensity(survey, rows) for name, rows in _groups(splits, good)},
    )


def _groups(groups: Partition, good: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.int64]]]:
    """Each group that has a decoded image, with the rows of those."""
    found = [(name, groups.rows(place)) for place, name in enumerate(groups.names)]
    return [(name, rows[good[rows]]) for name, rows in found if good[rows].any()]


def _sizes(survey: Survey, rows: NDArray[np.int64]) -> SizeStatistics:
    return SizeStatistics(len(rows), _quantiles(survey.widths[rows]), _quantiles(survey.heights[rows]))


def _quantiles(values: NDArray[np.integer]) -> Quantiles:
    if not len(values):
        return Quantiles(0, 0, 0, 0, 0, 0, 0)
    return Quantiles(*np.quantile(values, _SHARES).tolist())


def _binned(values: NDArray[np.integer]) -> Binned:
    if not len(values):
        return Binned(0, 0, ())
    low, high = float(values.min()), float(values.max())
    counts, _ = np.histogram(values, _BINS if high > low else 1, (low, high))
    return Binned(low, high, tuple(counts.tolist()))


def _intensity(survey: Survey, rows: NDArray[np.int64]) -> tuple[float, ...]:
    """The mean of the normalised histograms of these images."""
    total = np.zeros(survey.histograms.shape[1])
    for start in range(0, len(rows), _CHUNK):
        part = survey.histograms[rows[start : start + _CHUNK]].astype(np.float64)
        total += (part / np.maximum(part.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    return tuple((total / max(1, len(rows))).tolist())
