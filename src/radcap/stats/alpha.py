"""Krippendorff's alpha: agreement of any number of raters, with gaps, on four scales.

Invariant: alpha is 1 less observed over expected disagreement of values in one unit; units with a
single rating are left out. NaN where it is not defined: no unit with two ratings (one rater), or
one value in use.
>>> round(krippendorff_alpha([[1, 2, 3, 3, None], [1, 2, 3, 4, 4]], "ordinal"), 4)
0.9103
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from math import isnan, nan
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from radcap.core import UsageError, unknown_name
from radcap.stats.arrays import Floats

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Rating", "Scale", "krippendorff_alpha"]

Rating: TypeAlias = "float | str | None"  # None and NaN are gaps
Distance: TypeAlias = Callable[[Sequence["float | str"], Floats], Floats]


class Scale(StrEnum):
    """What the values of a rating mean: names, an order, distances, or ratios."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"

    @classmethod
    def _missing_(cls, value: object) -> Scale:
        raise unknown_name("scale", str(value), cls)


def krippendorff_alpha(ratings: Sequence[Sequence[Rating]], scale: str = Scale.ORDINAL) -> float:
    """Alpha of `ratings[rater][unit]`. Words are nominal; the ratio scale has no negative numbers."""
    if len({len(row) for row in ratings}) > 1:
        raise UsageError(
            f"The raters have {', '.join(str(len(row)) for row in ratings)} units. They must have the same. "
            "Put None where a rating is absent."
        )
    units = [Counter(_known(column)) for column in zip(*ratings, strict=True)]
    pairable = [unit for unit in units if unit.total() > 1]
    used = {value for unit in pairable for value in unit}
    domain = list(used) if Scale(scale) is Scale.NOMINAL else sorted(_numbers(used, Scale(scale)))
    counts = np.array([[unit[value] for value in domain] for unit in pairable], dtype=np.float64)
    return _alpha(counts, _DISTANCES[Scale(scale)], domain) if len(domain) > 1 else nan


def _known(column: Iterable[Rating]) -> list[float | str]:
    return [
        value for value in column if value is not None and not (isinstance(value, float) and isnan(value))
    ]


def _numbers(used: Iterable[float | str], scale: Scale) -> list[float]:
    numbers: list[float] = []
    for value in used:
        if isinstance(value, str) or (value < 0 and scale is Scale.RATIO):
            raise UsageError(
                f"Rating {value!r} is on no {scale.value} scale. Its distance to others is not defined. "
                f"Use the {'nominal' if isinstance(value, str) else 'interval'} scale."
            )
        numbers.append(value)
    return numbers


def _alpha(counts: Floats, distance: Distance, domain: Sequence[float | str]) -> float:
    """From (units, values) counts: every ordered pair of values in a unit of m ratings weighs 1/(m - 1)."""
    shares = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = shares.T @ counts - np.diag(shares.sum(axis=0))
    totals = coincidences.sum(axis=0)
    apart = distance(domain, totals)
    observed = (coincidences * apart).sum()
    expected = (np.outer(totals, totals) * apart).sum()
    return float(1 - (totals.sum() - 1) * observed / expected)


def _nominal(domain: Sequence[float | str], _: Floats) -> Floats:
    return 1 - np.eye(len(domain))


def _ordinal(_: Sequence[float | str], totals: Floats) -> Floats:
    """The ratings between two values, each of the two counted half."""
    middles = np.cumsum(totals) - totals / 2
    return np.subtract.outer(middles, middles) ** 2


def _interval(domain: Sequence[float | str], _: Floats) -> Floats:
    values = np.array(domain, dtype=np.float64)
    return np.subtract.outer(values, values) ** 2


def _ratio(domain: Sequence[float | str], _: Floats) -> Floats:
    values = np.array(domain, dtype=np.float64)
    sums = np.add.outer(values, values)
    parts = np.subtract.outer(values, values)
    return np.divide(parts, sums, out=np.zeros_like(sums), where=sums > 0) ** 2


_DISTANCES: dict[Scale, Distance] = {
    Scale.NOMINAL: _nominal,
    Scale.ORDINAL: _ordinal,
    Scale.INTERVAL: _interval,
    Scale.RATIO: _ratio,
}
