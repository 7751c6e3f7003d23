"""Counts of named things as bars that lie, one below the other.

Invariant: bars share one scale that starts at zero; each has its number beside it, so no axis is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, void
from radcap.report.names import shortened
from radcap.report.plot import drawing
from radcap.report.row_chart import COLOUR, LETTER

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Bar", "bar_chart"]

_WIDE = 480  # pixels from which name and bar share a line
_LEAST = 1.5


@dataclass(frozen=True, slots=True)
class Bar:
    """A name, how long its bar is, and the number as people read it."""

    name: str
    value: float
    label: str


@dataclass(frozen=True, slots=True)
class _Form:
    width: int
    row: int
    name: float  # room for the name
    text: int  # base line of name and label
    left: float  # of the bar
    right: float
    top: int  # of the bar within the row


def bar_chart(bars: Sequence[Bar], title: str, about: str, width: int = 560) -> Markup:
    """The chart as one SVG element."""
    longest = max((len(one.label) for one in bars), default=0) * LETTER
    form = _form(width, longest)
    most = max((one.value for one in bars), default=0) or 1
    rows = [_row(one, one.value / most, form, number * form.row) for number, one in enumerate(bars)]
    return drawing(title, about, width, len(bars) * form.row + 4, *rows)


def _form(width: int, label: float) -> _Form:
    if width < _WIDE:
        return _Form(width, 40, width - label - 8, 15, 0, width, 21)
    name = width * 0.36
    return _Form(width, 26, name, 18, name + 10, width - label - 4, 6)


def _row(one: Bar, share: float, form: _Form, top: int) -> Markup:
    length = max(share * (form.right - form.left), _LEAST if one.value else 0)
    height = 14
    return element(
        "g",
        element("title", f"{one.name}: {one.label}"),
        element("text", shortened(one.name, form.name / LETTER), x=0, y=top + form.text, class_="name"),
        void(
            "rect",
            class_="bar",
            x=form.left,
            y=top + form.top,
            width=length,
            height=height,
            rx=2,
            fill=COLOUR,
        ),
        element("text", one.label, x=form.width, y=top + form.text, text_anchor="end", class_="tick"),
        class_="row",
    )
