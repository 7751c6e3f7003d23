"""Any pixel format to 8 bit grey or RGB.

Invariant: a picture whose file stores grey stays grey (L), everything else becomes RGB. Transparent parts
become white, as on the page a figure was made for. More than 8 bits are mapped linearly from the range of the
picture's own values, unless they fit 0 to 255 already. Colour profiles are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["eight_bits", "spread"]

_WHITE = 255
_BLOCK = 1_000_000  # numbers that are mapped at a time
_DEEP = ("I", "F")  # modes of more than 8 bits, with all their byte orders


def eight_bits(image: Image.Image) -> Image.Image:
    """The picture in mode L or RGB."""
    if image.mode.startswith(_DEEP):
        return Image.fromarray(spread(np.asarray(image)))
    if image.has_transparency_data:
        return _on_white(image)
    if image.mode in {"L", "RGB"}:
        return image
    return image.convert("L" if image.mode == "1" or _has_grey_palette(image) else "RGB")


def spread(values: np.ndarray) -> np.ndarray:
    """Numbers of any range as 0 to 255, some rows at a time; what is no number becomes black."""
    levels = np.zeros(values.shape, np.uint8)
    low, high = _range_of(values)
    if low >= 0 and high <= _WHITE:
        low, high = 0.0, float(_WHITE)
    if low < high:
        for rows in _blocks(values):
            levels[rows] = _levels(values[rows], low, high)
    return levels


def _range_of(values: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest number; infinity the wrong way round where there is none."""
    low, high = np.inf, -np.inf
    for rows in _blocks(values):
        finite = values[rows][np.isfinite(values[rows])]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    return low, high


def _levels(values: np.ndarray, low: float, high: float) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):  # odd numbers, and ranges no float can hold
        numbers = np.nan_to_num(values.astype(np.float64), nan=low, posinf=high, neginf=low)
        shares = (numbers - low) / (high - low)
    return np.rint(np.nan_to_num(shares) * _WHITE).astype(np.uint8)


def _blocks(values: np.ndarray) -> Iterator[slice]:
    step = max(1, _BLOCK // max(1, values[:1].size))
    return (slice(start, start + step) for start in range(0, len(values), step))


def _on_white(image: Image.Image) -> Image.Image:
    grey = image.mode in {"L", "LA", "La", "1"} or _has_grey_palette(image)
    image = image.convert("RGBA")
    page = Image.new("RGBA", image.size, (_WHITE, _WHITE, _WHITE, _WHITE))
    return Image.alpha_composite(page, image).convert("L" if grey else "RGB")


def _has_grey_palette(image: Image.Image) -> bool:
    if image.mode not in {"P", "PA"}:
        return False
    colours = image.getpalette("RGB") or []
    return colours[0::3] == colours[1::3] == colours[2::3]
