"""An axis: a range that ends on round numbers, and the place of a value in it.

Invariant: the range holds every value it was made for and is never empty, so a share lies in 0 to 1.
>>> axis = axis_over([0.5712, 0.5891])
>>> [axis.label(tick) for tick in axis.ticks]
['0.570', '0.575', '0.580', '0.585', '0.590']
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Axis", "axis_over", "drawable", "rank_axis"]

_STEPS = (1, 2, 5, 10)
_LEAST = 1e-4  # of the size of the values; a smaller difference is read from the labels
_MOST = 1e9  # no score is as large; beyond it a tick would have no digits left
_SLACK = 1e-9  # steps such as 0.005 have no exact form; a value that rounds onto a tick lies on it
_MOST_RANKS = 12  # that are all labelled


@dataclass(frozen=True, slots=True)
class Axis:
    """A range and the places that are labelled, `step` apart."""

    low: float
    high: float
    ticks: tuple[float, ...]
    step: float

    def share(self, value: float) -> float:
        """How far along the axis a value lies, 0 at its start and 1 at its end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def label(self, tick: float) -> str:
        decimals = max(0, -math.floor(math.log10(self.step) + _SLACK))
        return f"{round(tick, decimals) + 0.0:,.{decimals}f}"


def drawable(*values: float) -> bool:
    """Whether each value has a place on an axis: NaN, infinity and the absurd have none."""
    return all(abs(value) <= _MOST for value in values)


def axis_over(values: Iterable[float], wanted: int = 5) -> Axis:
    """The axis over values that are `drawable`, with about so many ticks; 0 to 1 where there are none."""
    known = [float(value) for value in values] or [0.0, 1.0]
    low, high = min(known), max(known)
    least = _LEAST * max(1.0, abs(low), abs(high))
    if high - low < least:
        low, high = low - least, high + least
    step = _round_step((high - low) / wanted)
    first, last = math.floor(low / step + _SLACK), math.ceil(high / step - _SLACK)
    return Axis(first * step, last * step, tuple(number * step for number in range(first, last + 1)), step)


def _round_step(least: float) -> float:
    power = math.floor(math.log10(least))
    return next(step for step in _STEPS if step >= least / 10.0**power - _SLACK) * 10.0**power


def rank_axis(n: int) -> Axis:
    """The ranks 1 to n with half a rank of room on either side; of many, 1 and round ones have labels."""
    if n <= _MOST_RANKS:
        return Axis(0.5, n + 0.5, tuple(range(1, n + 1)), 1)
    step = round(_round_step(n / _MOST_RANKS))
    return Axis(0.5, n + 0.5, (1, *range(step, n + 1, step)), step)
