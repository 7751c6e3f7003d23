"""Faithfulness over a dataset: the mean of each figure, with its bootstrap interval over images.

Invariant: images are drawn, not maps, since maps of one image are no independent witnesses; a figure that
was measured nowhere has no mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats.bootstrap import percentile_interval, resampled_means
from radcap.stats.comparison import Procedure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.explanation.faithfulness.values import Faithfulness

__all__ = ["FIGURES", "Mean", "mean_of", "summary"]

_PROCEDURE = Procedure()

FIGURES: dict[str, Callable[[Faithfulness], float | None]] = {
    "deletion": lambda one: one.deletion.area,
    "insertion": lambda one: one.insertion.area,
    "random_deletion": lambda one: one.random_deletion,
    "random_insertion": lambda one: one.random_insertion,
    "edge_deletion": lambda one: one.edge_deletion,
    "edge_insertion": lambda one: one.edge_insertion,
    "gain": lambda one: one.gain,
    "better_than_both": lambda one: float(one.gain > 0),
    "road": lambda one: one.road,
    "infidelity": lambda one: one.infidelity,
    "sensitivity": lambda one: one.sensitivity,
    "pointing": lambda one: None if one.pointing is None else float(one.pointing),
    "overlap": lambda one: one.overlap,
}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of `maps` figures of `images` images, and where it lies at the level of the procedure."""

    value: float
    low: float
    high: float
    maps: int
    images: int

    def to_json(self) -> dict[str, float | int]:
        ends = {name: round(float(getattr(self, name)), 4) for name in ("value", "low", "high")}
        return {**ends, "maps": self.maps, "images": self.images}


def summary(
    found: Sequence[Faithfulness], images: Sequence[str], procedure: Procedure = _PROCEDURE
) -> dict[str, Mean]:
    """Every figure that was measured; `images` names the image of each."""
    means = {
        name: mean_of([figure(one) for one in found], images, procedure) for name, figure in FIGURES.items()
    }
    return {name: mean for name, mean in means.items() if mean is not None}


def mean_of(
    values: Sequence[float | None], images: Sequence[str], procedure: Procedure = _PROCEDURE
) -> Mean | None:
    """None where there is no value at all."""
    known = [(value, image) for value, image in zip(values, images, strict=True) if value is not None]
    if not known:
        return None
    column = np.array([[value] for value, _ in known], np.float64)
    groups = [image for _, image in known]
    drawn = resampled_means(column, resamples=procedure.resamples, seed=procedure.seed, groups=groups)
    ends = percentile_interval(drawn[:, 0], procedure.level)
    return Mean(float(column.mean()), ends.low, ends.high, len(known), len(set(groups)))
