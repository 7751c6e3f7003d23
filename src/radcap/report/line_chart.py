"""A curve over two axes, and small curves without axes to be set side by side.

Invariant: points are drawn in the order given; a curve has as many corners as points and no invented ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, void
from radcap.report.plot import Frame, Plot, drawing
from radcap.report.row_chart import COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report.plot import Scale

__all__ = ["area_chart", "line_chart"]

_FLOOR, _ROOF = 92, 8  # of a small curve


def line_chart(
    points: Sequence[tuple[float, float]],
    axes: tuple[Scale, Scale],
    words: tuple[str, str, str],
    guides: Sequence[tuple[float, str]] = (),
    width: int = 560,
) -> Markup:
    """A curve. `words` are title, unit of the x axis, and what it shows; `guides` are heights with a name."""
    title, unit, about = words
    plot = Plot(*axes, Frame(width))
    return drawing(
        title,
        about,
        width,
        plot.frame.height,
        *plot.grid(unit),
        _curve([(plot.across(x), plot.up(y)) for x, y in points], plot.floor),
        *(_guide(plot, height, name) for height, name in guides),
    )


def _guide(plot: Plot, height: float, name: str) -> Markup:
    end = plot.frame.width - plot.frame.right
    label = element("text", name, x=end, y=plot.up(height) - 5, text_anchor="end", class_="tick")
    return element("g", plot.level(height, plot.frame.left, end, "guide"), label)


def area_chart(
    values: Sequence[float], title: str, about: str, ends: tuple[str, str], width: int = 200
) -> Markup:
    """A small curve from the first value to the last, over its own largest; `ends` name both sides."""
    most = max(values, default=0) or 1
    step = width / max(1, len(values) - 1)
    points = [(place * step, _FLOOR - one / most * (_FLOOR - _ROOF)) for place, one in enumerate(values)]
    first, last = ends
    return drawing(
        title,
        about,
        width,
        _FLOOR + 18,
        _curve(points, _FLOOR),
        void("line", class_="grid", x1=0, x2=width, y1=_FLOOR, y2=_FLOOR, stroke="currentColor"),
        element("text", first, x=0, y=_FLOOR + 14, class_="tick"),
        element("text", last, x=width, y=_FLOOR + 14, text_anchor="end", class_="tick"),
    )


def _curve(points: Sequence[tuple[float, float]], floor: float) -> Markup:
    """The line, and the area below it."""
    if not points:
        return element("g")
    line = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    first, last = points[0][0], points[-1][0]
    return element(
        "g",
        void(
            "polygon",
            class_="area",
            points=f"{first:.2f},{floor:.2f} {line} {last:.2f},{floor:.2f}",
            fill=COLOUR,
            fill_opacity="0.25",
        ),
        void("polyline", class_="line", points=line, fill="none", stroke=COLOUR, stroke_width=1.75),
    )
