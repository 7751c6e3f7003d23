"""Write a picture in another format, size or quality.

Invariant: the same picture and coding give the same bytes; grey stays grey; nothing but pixels is written, no
EXIF, no colour profile, no comment.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image

from radcap.core import UsageError, unknown_name
from radcap.datasets.images.decoding import decode
from radcap.datasets.images.fitting import fitted_size

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORMATS", "Coding", "encode", "recode"]

FORMATS = ("jpeg", "png", "webp")
_BEST = 100


@dataclass(frozen=True, slots=True)
class Coding:
    """How images are to be written. `size` bounds the longer side in pixels; 0 leaves it as it is."""

    format: str  # jpeg, png (always lossless) or webp
    quality: int = 85
    size: int = 0

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise unknown_name("image format", self.format, FORMATS)
        if not 1 <= self.quality <= _BEST:
            raise UsageError(f"Quality {self.quality} cannot be written. It goes from 1 to {_BEST}.")
        if self.size < 0:
            raise UsageError(f"Size {self.size} cannot be written. Give pixels, or 0 to leave it as it is.")


def recode(data: bytes, coding: Coding, name: str = "image") -> bytes:
    """The file of another coding. Bad data raise `ImageRefused`."""
    return encode(decode(data, name), coding)


def encode(image: Image.Image, coding: Coding) -> bytes:
    """The bytes of a picture in mode L or RGB."""
    if coding.size and max(image.size) > coding.size:
        target = fitted_size(*image.size, coding.size)
        image = image.resize(target, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, coding.format.upper(), **_options(coding))
    return out.getvalue()


def _options(coding: Coding) -> Mapping[str, Any]:
    options: dict[str, Mapping[str, Any]] = {
        "jpeg": {"quality": coding.quality, "optimize": True},
        "png": {"optimize": False, "compress_level": 6},
        "webp": {"quality": coding.quality, "method": 6},
    }
    return options[coding.format]
