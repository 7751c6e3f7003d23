"""The charts of a dataset report, each in a form for wide and for narrow windows.

Invariant: a chart of nothing is not drawn; what lies beyond the last column is counted in it and said so.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from radcap.datasets.statistics.count_tables import percent
from radcap.report.axis import axis_over
from radcap.report.bar_chart import Bar, bar_chart
from radcap.report.column_chart import Column, column_chart
from radcap.report.line_chart import line_chart
from radcap.report.log_axis import log_axis
from radcap.report.markup import Markup, element
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.datasets.statistics.counting import Count, Distribution

__all__ = [
    "bars_figure",
    "spread_figure",
    "tail_figure",
    "years_figure",
]

WIDE, NARROW = 560, 340  # of a chart
_COLUMNS = 40  # at most, in a histogram
_TAIL = 0.995  # share of the values that columns of their own show


def figure(title: str, draw: Callable[[int], Markup], words: str = "") -> Markup:
    """A chart in both forms between its heading and what is to be said of it."""
    return element(
        "figure",
        element("h3", title),
        element("div", draw(WIDE), class_="wide"),
        element("div", draw(NARROW), class_="narrow"),
        element("figcaption", words) if words else "",
    )


def bars_figure(counts: Sequence[tuple[str, int]], whole: int, title: str) -> Markup:
    """Named counts as bars with their share of the whole."""
    if not counts:
        return Markup("")
    bars = [Bar(name, n, f"{n:,} \u00b7 {percent(n, whole)}") for name, n in counts]
    about = "; ".join(f"{one.name} {one.label}" for one in bars)
    return figure(title, lambda width: bar_chart(bars, title, about, width))


def spread_figure(spread: Distribution, title: str, unit: str, noun: str) -> Markup:
    """A histogram of whole numbers; the far tail is one column."""
    if not spread.n:
        return Markup("")
    columns, cut = _columns(spread, noun)
    words = (
        f"Mean {spread.mean:.2f}, median {spread.median:g}, from {spread.minimum:,} to "
        f"{spread.maximum:,}.{_said(cut)}"
    )
    return figure(title, lambda width: column_chart(columns, title, unit, words, width), words)


def _said(cut: int) -> str:
    return f" The last, hollow column holds everything from {cut:,} on." if cut else ""


def _columns(spread: Distribution, noun: str) -> tuple[list[Column], int]:
    """Columns of equal width, and from where the last one takes all; zero where it does not."""
    few = spread.maximum - spread.minimum < _COLUMNS
    last = spread.maximum if few else _reached(spread, _TAIL)
    step = max(1, round(axis_over((0, last - spread.minimum + 1), wanted=_COLUMNS).step))
    start = spread.minimum // step * step
    end = (last - start) // step
    counts = [0] * (end + 1)
    for value, times in spread.histogram:
        counts[min((value - start) // step, end)] += times
    open_end = spread.maximum >= start + (end + 1) * step
    cut = start + end * step if open_end else 0
    shift = 0.5 if step == 1 else 0.0  # a whole number stands in the middle of its column
    made = [
        Column(
            start + place * step - shift,
            start + (place + 1) * step - shift,
            times,
            f"{_range(start + place * step, step, last=bool(cut) and place == end)}: {counted(times, noun)}",
            takes_rest=bool(cut) and place == end,
        )
        for place, times in enumerate(counts)
    ]
    return made, cut


def _reached(spread: Distribution, share: float) -> int:
    """The value at which so large a share of the numbers is reached."""
    seen = accumulate(times for _, times in spread.histogram)
    return next(value for (value, _), n in zip(spread.histogram, seen, strict=True) if n >= share * spread.n)


def _range(low: int, step: int, *, last: bool) -> str:
    if last:
        return f"{low:,} or more"
    return f"{low:,}" if step == 1 else f"{low:,} to {low + step - 1:,}"


def tail_figure(frequency: Distribution) -> Markup:
    """How often concepts occur, from the most frequent to the rarest, on logarithmic axes."""
    if not frequency.n:
        return Markup("")
    points: list[tuple[float, float]] = []
    rank = 1
    for images, times in reversed(frequency.histogram):
        points += [(rank, images), (rank + times - 1, images)]
        rank += times
    axes = log_axis(frequency.n), log_axis(frequency.maximum)
    words = (
        f"From the most frequent of {counted(frequency.n, 'concept')} to the rarest, both axes logarithmic: "
        f"{frequency.below(10):,} stand on fewer than 10 images, {frequency.below(5):,} on fewer than 5."
    )
    told = ("Images per concept", "rank of the concept", words)
    guides = ((10, "10 images"),)
    return figure("Images per concept", lambda width: line_chart(points, axes, told, guides, width), words)


def years_figure(years: Sequence[Count]) -> Markup:
    """Articles by year of publication; what is no year is left to the table."""
    known = [(int(one.name), one.n) for one in years if one.name.isdecimal()]
    if not known:
        return Markup("")
    columns = [
        Column(year - 0.5, year + 0.5, n, f"{year}: {counted(n, 'article')}") for year, n in sorted(known)
    ]
    title = "Articles by year of publication"
    about = f"From {min(known)[0]} to {max(known)[0]}, most in {max(known, key=lambda one: one[1])[0]}."
    return figure(title, lambda width: column_chart(columns, title, "year", about, width, years=True), about)
