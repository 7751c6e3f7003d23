"""Two axes, a grid, and the SVG around what is drawn between them.

Invariant: every chart says in words what it shows, for those who hear it. Colours come from the page; the
attributes here are for a chart that is saved alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from radcap.report.markup import Markup, element, void
from radcap.report.row_chart import FONT, SVG

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Frame", "Plot", "Scale", "drawing"]


class Scale(Protocol):
    """What an axis must know."""

    @property
    def ticks(self) -> tuple[float, ...]: ...

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        ...

    def label(self, tick: float) -> str:
        """A tick in words."""
        ...


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a plot stands, in pixels."""

    width: int
    height: int = 250
    left: int = 52
    right: int = 14
    top: int = 14
    bottom: int = 46


def drawing(title: str, about: str, width: float, height: float, *parts: str) -> Markup:
    """The SVG element of a chart."""
    return element(
        "svg",
        element("title", title),
        element("desc", about),
        *parts,
        xmlns=SVG,
        role="img",
        class_="chart",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        font_family=FONT,
        font_size=13,
        fill="currentColor",
    )


@dataclass(frozen=True, slots=True)
class Plot:
    """A frame with its axes."""

    x: Scale
    y: Scale
    frame: Frame

    @property
    def floor(self) -> float:
        """Where the y axis is zero, or begins."""
        return self.frame.height - self.frame.bottom

    def across(self, value: float) -> float:
        frame = self.frame
        return frame.left + self.x.share(value) * (frame.width - frame.left - frame.right)

    def up(self, value: float) -> float:
        return self.floor - self.y.share(value) * (self.floor - self.frame.top)

    def grid(self, unit: str) -> Iterator[Markup]:
        """Lines and labels; `unit` says what the x axis counts."""
        end = self.frame.width - self.frame.right
        for tick in self.y.ticks:
            yield self.level(tick, self.frame.left, end)
            label = self.y.label(tick)
            yield element(
                "text", label, x=self.frame.left - 8, y=self.up(tick) + 4, text_anchor="end", class_="tick"
            )
        for tick in self.x.ticks:
            x, y = self.across(tick), self.floor + 18
            yield element("text", self.x.label(tick), x=x, y=y, text_anchor="middle", class_="tick")
        middle = (self.frame.left + end) / 2
        yield element("text", unit, x=middle, y=self.frame.height - 6, text_anchor="middle", class_="unit")

    def level(self, value: float, left: float, right: float, class_: str = "grid") -> Markup:
        """A line across the plot at one height."""
        y = self.up(value)
        return void(
            "line", class_=class_, x1=left, x2=right, y1=y, y2=y, stroke="currentColor", stroke_opacity="0.2"
        )
