"""How the scores of two runs differ, image by image.

Invariant: images that score the same are counted in words and not drawn, since there are often so many that
the rest would vanish; bars left of zero and right of it never share an image.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.report.axis import Axis, axis_over, drawable
from radcap.report.markup import Markup, element, void
from radcap.report.names import counted, shortened
from radcap.report.plot import drawing
from radcap.report.row_chart import COLOUR, LETTER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Outcome", "histogram", "outcome"]

_PARTS = 5  # bars between two ticks
_HEIGHT, _TOP, _BOTTOM, _LEFT = 250, 30, 206, 48


@dataclass(frozen=True, slots=True)
class Outcome:
    """On how many images the second run is higher, equal or lower than the first."""

    higher: int
    equal: int
    lower: int


def outcome(differences: Sequence[float]) -> Outcome:
    """Counts over differences, the second run less the first."""
    higher, lower = (sum(sign * one > 0 for one in differences) for sign in (1, -1))
    return Outcome(higher, sum(one == 0 for one in differences), lower)


def histogram(differences: Sequence[float], names: tuple[str, str], width: int = 760) -> Markup:
    """Bars over the differences, the second run less the first."""
    moved = [one for one in differences if one and drawable(one)]
    most = max(map(abs, moved), default=1.0)
    x = axis_over((-most, most), wanted=width // 95)
    bars = _count(moved, x.step / _PARTS)
    y = axis_over((0, max(bars.values(), default=0), 4), wanted=4)
    plot = _Plot(x, y, width)
    first, second = names
    found = outcome(differences)
    about = (
        f"{second} is higher on {counted(found.higher)}, {first} on {found.lower:,}; "
        f"{found.equal:,} with the same score are not drawn."
    )
    return drawing(
        f"Difference per image, {second} less {first}",
        about,
        width,
        _HEIGHT,
        *plot.grid(),
        *(plot.bar(number, count) for number, count in sorted(bars.items())),
        *plot.words(names),
    )


def _count(moved: Sequence[float], bar: float) -> Counter[int]:
    """Images per bar; bar 1 begins at zero and goes right, bar -1 goes left."""
    return Counter(round(math.copysign(max(1, math.ceil(abs(one) / bar - 1e-9)), one)) for one in moved)


class _Plot:
    """Two axes and what is drawn between them."""

    def __init__(self, x: Axis, y: Axis, width: int) -> None:
        self._x, self._y, self._width = x, y, width

    def _across(self, value: float) -> float:
        return _LEFT + self._x.share(value) * (self._width - 12 - _LEFT)

    def _up(self, count: float) -> float:
        return _BOTTOM - self._y.share(count) * (_BOTTOM - _TOP)

    def grid(self) -> Iterator[Markup]:
        for tick in self._y.ticks:
            y = self._up(tick)
            yield void(
                "line",
                class_="grid",
                x1=_LEFT,
                x2=self._width - 12,
                y1=y,
                y2=y,
                stroke="currentColor",
                stroke_opacity="0.2",
            )
            yield element("text", self._y.label(tick), x=_LEFT - 8, y=y + 4, text_anchor="end", class_="tick")
        for tick in self._x.ticks:
            label = self._x.label(tick)
            yield element(
                "text", label, x=self._across(tick), y=_BOTTOM + 18, text_anchor="middle", class_="tick"
            )
        zero = self._across(0)
        yield void("line", class_="zero", x1=zero, x2=zero, y1=_TOP - 6, y2=_BOTTOM, stroke="currentColor")

    def bar(self, number: int, count: int) -> Markup:
        size = self._x.step / _PARTS
        near, far = (number - math.copysign(1, number)) * size, number * size
        low, high = sorted((near, far))
        left, top = self._across(low), self._up(count)
        return element(
            "g",
            element("title", f"{low:+.3g} to {high:+.3g}: {counted(count)}"),
            void(
                "rect",
                class_="higher" if number > 0 else "lower",
                x=left + 0.5,
                y=top,
                width=max(self._across(high) - left - 1, 0.5),
                height=_BOTTOM - top,
                fill=COLOUR,
                fill_opacity="1" if number > 0 else "0.45",
                stroke=COLOUR,
            ),
        )

    def words(self, names: tuple[str, str]) -> Iterator[Markup]:
        room = (self._width / 2 - 40) / LETTER
        first, second = (shortened(name, room) for name in names)
        yield element("text", f"\u2190 {first}", x=0, y=14, class_="name")
        yield element("text", f"{second} \u2192", x=self._width, y=14, text_anchor="end", class_="name")
        middle, below = self._across(0), _HEIGHT - 6
        yield element("text", "higher by, per image", x=middle, y=below, text_anchor="middle", class_="unit")
