"""A histogram of whole numbers as columns over an axis.

Invariant: every column lies on the axis and stands on the floor; a count above zero is never invisible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.axis import Axis, axis_over
from radcap.report.markup import Markup, element, void
from radcap.report.plot import Frame, Plot, drawing
from radcap.report.row_chart import COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Column", "column_chart"]

_LEAST = 1.5  # pixels of a column, however small its count


@dataclass(frozen=True, slots=True)
class Column:
    """A count over a range of numbers, and what a pointer at rest is told."""

    low: float
    high: float
    count: float
    detail: str
    takes_rest: bool = False  # all that lies beyond is in it, so it is drawn hollow


@dataclass(frozen=True, slots=True)
class _Plain:
    """An axis whose numbers are names, such as years: no separator of thousands."""

    axis: Axis

    @property
    def ticks(self) -> tuple[float, ...]:
        return self.axis.ticks

    def share(self, value: float) -> float:
        return self.axis.share(value)

    def label(self, tick: float) -> str:
        return f"{tick:.0f}"


def column_chart(
    columns: Sequence[Column], title: str, unit: str, about: str, width: int = 560, *, years: bool = False
) -> Markup:
    """The chart as one SVG element. `unit` is what the axis below counts."""
    x = _whole_axis([end for one in columns for end in (one.low, one.high)], width // 45)
    y = axis_over([0, *(one.count for one in columns), 4], wanted=4)
    plot = Plot(_Plain(x) if years else x, y, Frame(width))
    bars = [_bar(plot, one) for one in columns if one.count]
    return drawing(title, about, width, plot.frame.height, *plot.grid(unit), *bars)


def _whole_axis(ends: Sequence[float], wanted: int) -> Axis:
    """From the first column to the last: a round end would leave room that means nothing."""
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    step = max(1.0, axis_over((low, high), wanted).step)
    ticks = range(math.ceil(low / step), math.floor(high / step) + 1)
    return Axis(low, high, tuple(number * step for number in ticks), step)


def _bar(plot: Plot, one: Column) -> Markup:
    left, right = plot.across(one.low), plot.across(one.high)
    top = min(plot.up(one.count), plot.floor - _LEAST)
    gap = 1 if right - left > 4 else 0  # noqa: PLR2004, pixels from which a gap does not eat the column
    return element(
        "g",
        element("title", one.detail),
        void(
            "rect",
            class_="lower" if one.takes_rest else "bar",
            x=left + gap / 2,
            y=top,
            width=max(right - left - gap, 0.5),
            height=plot.floor - top,
            fill=COLOUR,
            fill_opacity="0.45" if one.takes_rest else None,
        ),
    )
