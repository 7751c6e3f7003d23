"""What the pixels say as tables.

Invariant: shares are of the images that could be decoded, those of refusals of all that were looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.statistics.count_tables import count_table, percent
from radcap.datasets.statistics.modalities import modality_title
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets.statistics.pixels import PixelStatistics, SizeStatistics

__all__ = ["pixel_tables"]


def pixel_tables(pixels: PixelStatistics) -> list[Table]:
    """Sizes by split and modality, colours, formats, and what cannot be decoded."""
    kinds = {"grey": pixels.grey, "colour": pixels.colour}
    colours = tuple((name, f"{n:,}", percent(n, pixels.decoded)) for name, n in kinds.items())
    looked_at = pixels.decoded + sum(one.n for one in pixels.refused)
    return [
        _size_table({"all": pixels.size, **pixels.size_by_split}, "split"),
        _size_table({modality_title(name): one for name, one in pixels.size_by_modality.items()}, "modality"),
        Table(
            ("colour", "images", "share"), colours, "Grey and colour", right=frozenset({"images", "share"})
        ),
        count_table(pixels.kinds, "format", "File formats", pixels.decoded),
        count_table(pixels.refused, "code", "Images that cannot be decoded", looked_at),
    ]


def _size_table(sizes: Mapping[str, SizeStatistics], name: str) -> Table:
    """Width and height: the median, and where the middle nine tenths lie."""
    columns = ("images", "width", "width 5-95 %", "height", "height 5-95 %")
    rows = tuple(
        (
            key,
            f"{one.images:,}",
            f"{one.width.median:.0f}",
            f"{one.width.q05:.0f} to {one.width.q95:.0f}",
            f"{one.height.median:.0f}",
            f"{one.height.q05:.0f} to {one.height.q95:.0f}",
        )
        for key, one in sizes.items()
    )
    return Table((name, *columns), rows, f"Size in pixels, by {name}", right=frozenset(columns))
