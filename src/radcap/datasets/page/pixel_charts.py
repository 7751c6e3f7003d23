"""The charts of what the pixels say: sizes by modality, intensities by part.

Invariant: a size is told by its median and where nine tenths lie; every curve goes from black to white.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.page.charts import NARROW, WIDE, figure
from radcap.datasets.statistics.count_tables import percent
from radcap.datasets.statistics.modalities import modality_title
from radcap.report.axis import axis_over
from radcap.report.line_chart import area_chart
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted
from radcap.report.row_chart import Form, Row, row_chart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets.statistics.pixels import PixelStatistics, Quantiles

__all__ = ["intensity_figures", "size_figures"]

_WEIGHTS = (1, 2, 3, 4, 3, 2, 1)
_SIZES = Form(width=560, name=150, left=160, right=430, row=26, text=18, mark=13)
_SIZES_NARROW = Form(width=340, name=180, left=10, right=330, row=48, text=18, mark=33)


def size_figures(pixels: PixelStatistics) -> Markup:
    """Width and height by modality: the median, and where nine tenths lie."""
    widths = {modality_title(name): one.width for name, one in pixels.size_by_modality.items()}
    heights = {modality_title(name): one.height for name, one in pixels.size_by_modality.items()}
    return joined([_size_figure(widths, "Width"), _size_figure(heights, "Height")])


def _size_figure(sizes: Mapping[str, Quantiles], title: str) -> Markup:
    rows = [
        Row(
            name,
            "",
            low=one.q05,
            value=one.median,
            high=one.q95,
            label=f"{one.median:.0f} ({one.q05:.0f}\u2013{one.q95:.0f})",
            solid=True,
            detail=f"median {one.median:.0f}, nine tenths from {one.q05:.0f} to {one.q95:.0f} pixels",
        )
        for name, one in sizes.items()
    ]
    axis = axis_over([0, *(end for row in rows for end in (row.low, row.high))], wanted=4)
    about = "; ".join(f"{row.name} {row.detail}" for row in rows)
    unit = f"{title.lower()} in pixels"
    words = "The dot is the median; the line spans nine tenths of the images."
    forms = {WIDE: _SIZES, NARROW: _SIZES_NARROW}
    return figure(
        f"{title} by modality", lambda width: row_chart(rows, axis, unit, about, forms[width]), words
    )


def intensity_figures(parts: Mapping[str, tuple[float, ...]], sizes: Mapping[str, int]) -> Markup:
    """One small curve for each part of the dataset, all from black to white."""
    return element(
        "div", *(_intensity(name, shares, sizes) for name, shares in parts.items()), class_="multiples"
    )


def _smoothed(shares: Sequence[float]) -> list[float]:
    """A weighted mean over neighbours: lossy files skip every few levels, which would draw a comb."""
    made: list[float] = []
    for place in range(len(shares)):
        near = [(at, weight) for at, weight in enumerate(_WEIGHTS, place - 3) if 0 <= at < len(shares)]
        made.append(sum(shares[at] * weight for at, weight in near) / sum(weight for _, weight in near))
    return made


def _intensity(name: str, shares: Sequence[float], sizes: Mapping[str, int]) -> Markup:
    title = modality_title(name)
    dark = sum(shares[: len(shares) // 4])
    about = f"Intensities of {title}: {percent(dark, 1)} of the pixels are in the darkest quarter."
    inner = _smoothed(shares[1:-1])
    roof = 1.15 * max(inner, default=0)
    curve = [min(shares[0], roof), *inner, min(shares[-1], roof)]
    chart = area_chart(curve, f"Intensities, {title}", about, ("black", "white"))
    words = element("figcaption", element("b", title), " ", element("span", counted(sizes.get(name, 0))))
    return element("figure", words, chart)
