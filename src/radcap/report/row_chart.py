"""A chart with one row per run: name and letters, a mark with its range, a label.

Invariant: every coordinate is a finite number; what has no place on the axis, such as NaN, is not drawn, and
its row keeps name and label. The wide form has one line per run, the narrow one two, so that letters stay
readable on a telephone. Colours come from the page; the attributes here are for a chart that is saved alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.axis import Axis, drawable
from radcap.report.markup import Markup, element, void
from radcap.report.names import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["COLOUR", "FONT", "LETTER", "NARROW", "SVG", "WIDE", "Form", "Row", "row_chart"]

SVG = "http://www.w3.org/2000/svg"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
COLOUR = "#2b7bba"  # three to one against white and against black
LETTER = 8  # pixels of a usual letter of a broad font at 13 pixels
_TWICE = 20  # rows from which the axis stands on top as well


@dataclass(frozen=True, slots=True)
class Form:
    """Where things stand, in pixels."""

    width: int
    name: int  # room for the name
    left: int  # of the plot
    right: int
    row: int  # height of a run
    text: int  # base line of its name
    mark: int  # height of its mark


WIDE = Form(width=760, name=216, left=302, right=666, row=26, text=18, mark=13)
NARROW = Form(width=360, name=200, left=22, right=338, row=48, text=18, mark=33)


@dataclass(frozen=True, slots=True)
class Row:
    """One run. `solid` marks are filled, the others hollow."""

    name: str
    letters: str
    low: float
    value: float
    high: float
    label: str
    solid: bool
    detail: str  # what a pointer at rest is told


def row_chart(rows: Sequence[Row], axis: Axis, title: str, about: str, form: Form = WIDE) -> Markup:
    """The chart as one SVG element. `about` says in words what it shows."""
    top = 26 if len(rows) >= _TWICE else 6
    height = top + len(rows) * form.row + 44
    parts = [
        element("title", title),
        element("desc", about),
        *_grid(axis, form, top, top + len(rows) * form.row, both=len(rows) >= _TWICE),
        *(_row(row, axis, form, top + number * form.row) for number, row in enumerate(rows)),
        _text(title, (form.left + form.right) / 2, height - 6, anchor="middle", class_="unit"),
    ]
    return element(
        "svg",
        *parts,
        xmlns=SVG,
        role="img",
        class_="chart",
        viewBox=f"0 0 {form.width} {height}",
        width=form.width,
        height=height,
        font_family=FONT,
        font_size=13,
        fill="currentColor",
    )


def _place(axis: Axis, form: Form, value: float) -> float:
    return form.left + axis.share(value) * (form.right - form.left)


def _grid(axis: Axis, form: Form, top: int, bottom: int, *, both: bool) -> Iterator[Markup]:
    for tick in axis.ticks:
        x = _place(axis, form, tick)
        yield void(
            "line",
            class_="grid",
            x1=x,
            x2=x,
            y1=top,
            y2=bottom + 4,
            stroke="currentColor",
            stroke_opacity="0.2",
        )
        for y in (bottom + 19, top - 8) if both else (bottom + 19,):
            yield _text(axis.label(tick), x, y, anchor="middle", class_="tick")


def _row(row: Row, axis: Axis, form: Form, top: int) -> Markup:
    letters = shortened(row.letters, 8)
    parts = [
        element("title", f"{row.name}: {row.detail}"),
        void(
            "rect",
            class_="hit",
            x=0,
            y=top,
            width=form.width,
            height=form.row,
            fill="none",
            pointer_events="all",
        ),
        _text(shortened(row.name, form.name / LETTER), 0, top + form.text, class_="name"),
        _text(letters, form.name + 8, top + form.text, class_="letters"),
        _text(row.label, form.width, top + form.text, anchor="end", class_="label"),
    ]
    if drawable(row.low, row.high):
        parts.append(_whisker(row, axis, form, top + form.mark))
    if drawable(row.value):
        parts.append(_dot(row, axis, form, top + form.mark))
    return element("g", *parts, class_="row")


def _whisker(row: Row, axis: Axis, form: Form, y: int) -> Markup:
    low, high = (_place(axis, form, end) for end in (row.low, row.high))
    line = f"M{low:.2f} {y - 4}v8m0-4H{high:.2f}m0-4v8"
    return void("path", class_="whisker", d=line, stroke=COLOUR, stroke_width=2, fill="none")


def _dot(row: Row, axis: Axis, form: Form, y: int) -> Markup:
    kind, fill = ("solid", COLOUR) if row.solid else ("hollow", "#fff")
    x = _place(axis, form, row.value)
    return void("circle", class_=kind, cx=x, cy=y, r=5, fill=fill, stroke=COLOUR, stroke_width=2)


def _text(text: str, x: float, y: float, *, class_: str, anchor: str | None = None) -> Markup:
    return element("text", text, x=x, y=y, class_=class_, text_anchor=anchor)
