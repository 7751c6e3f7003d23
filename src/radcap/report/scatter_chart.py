"""Points over two axes: each has a name that a pointer at rest is told, and some have it written beside them.

Invariant: a point whose values have no place on an axis is not drawn; nothing is told by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.axis import axis_over, drawable
from radcap.report.markup import Markup, element, void
from radcap.report.plot import Frame, Plot, drawing
from radcap.report.row_chart import COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Point", "scatter_chart"]

_TALL = 0.62  # height of a chart, in widths


@dataclass(frozen=True, slots=True)
class Point:
    """`solid` points are filled, the others hollow; `is_named` ones have their name beside them."""

    x: float
    y: float
    name: str
    detail: str  # what a pointer at rest is told
    solid: bool = True
    is_named: bool = False


def scatter_chart(points: Sequence[Point], titles: tuple[str, str], about: str, width: int = 640) -> Markup:
    """The chart as one SVG element; `titles` are of both axes, `about` says in words what it shows."""
    across, up = titles
    drawn = [one for one in points if drawable(one.x, one.y)]
    axes = (axis_over((one.x for one in drawn), width // 110), axis_over(one.y for one in drawn))
    plot = Plot(*axes, Frame(width, height=round(width * _TALL), top=30))
    return drawing(
        f"{up} over {across}",
        about,
        width,
        plot.frame.height,
        *plot.grid(across),
        element("text", up, x=2, y=14, class_="unit"),
        *(_drawn(plot, one) for one in drawn),
    )


def _drawn(plot: Plot, one: Point) -> Markup:
    kind, fill = ("solid", COLOUR) if one.solid else ("hollow", "#fff")
    x, y = plot.across(one.x), plot.up(one.y)
    dot = void("circle", class_=kind, cx=x, cy=y, r=4.5, fill=fill, stroke=COLOUR, stroke_width=1.75)
    parts = [element("title", f"{one.name}: {one.detail}"), dot]
    if one.is_named:
        is_left = x < plot.frame.width / 2  # where there is room
        shift, anchor = (9, "start") if is_left else (-9, "end")
        parts.append(element("text", one.name, x=x + shift, y=y + 4, text_anchor=anchor, class_="label"))
    return element("g", *parts, class_="row")
