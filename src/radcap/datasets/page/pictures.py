"""The picture of a record on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.page.thumbnails import SIDE, thumbnail
from radcap.report.markup import Markup, element, void

if TYPE_CHECKING:
    from radcap.datasets.records import Record

__all__ = ["picture"]


def picture(record: Record, modality: str, side: int = SIDE) -> Markup:
    """The picture on black, or the reason why there is none."""
    small = thumbnail(record.image, side)
    if small.refused:
        return element("div", element("em", f"no picture ({small.refused})"), class_="shot")
    alt = f"{modality}, {record.id}"
    image = void("img", src=small.address, alt=alt, width=small.width, height=small.height, loading="lazy")
    return element("div", image, class_="shot")
