"""How much of a stranger's image is read before radcap stops.

Invariant: every bound is checked on the header, before pixels are made.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LIMITS", "ImageLimits"]

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Bounds on an image file. Figures of articles and single slices stay far below them."""

    size_bytes: int = 256 * _MIB
    pixels: int = 64_000_000
    frames: int = 1000


LIMITS = ImageLimits()
