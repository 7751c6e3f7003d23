"""Small pictures that lie inside a page.

Invariant: an image that cannot be decoded gives the reason instead of a picture.
"""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.datasets.refusal import ImageRefused

if TYPE_CHECKING:
    from radcap.datasets.records import ImageRef

__all__ = ["SIDE", "Thumbnail", "thumbnail"]

SIDE = 160  # pixels of the longer side: sharp on dense screens too
_QUALITY = 62


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A `data:` address and the size in pixels, or the reason why there is none and its code."""

    address: str
    width: int
    height: int
    refused: str = ""
    why: str = ""  # there is none, as a sentence


def thumbnail(image: ImageRef, side: int = SIDE) -> Thumbnail:
    """The picture, made smaller where it is larger."""
    from PIL.Image import Resampling

    try:
        picture = image.load()
    except ImageRefused as error:
        return Thumbnail("", 0, 0, error.code, str(error))
    picture.thumbnail((side, side), Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    picture.save(out, "WEBP", quality=_QUALITY, method=4)
    code = base64.b64encode(out.getvalue()).decode("ascii")
    return Thumbnail(f"data:image/webp;base64,{code}", *picture.size)
