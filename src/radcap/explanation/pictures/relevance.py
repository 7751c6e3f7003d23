"""A map made ready to be drawn: its size, and its values as shares of the largest.

Invariant: the strongest value of a map, for or against, becomes 1; a map of nothing stays 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fitted", "positive", "scaled", "shares"]


def positive(relevance: NDArray[np.floating]) -> NDArray[np.float64]:
    """What speaks for the statement; the rest is 0."""
    return np.maximum(relevance, 0).astype(np.float64)


def shares(relevance: NDArray[np.floating]) -> NDArray[np.float32]:
    """-1 to 1: each value by the strongest one."""
    most = float(np.abs(relevance).max(initial=0.0))
    return (relevance / most if most > 0 else np.zeros_like(relevance)).astype(np.float32)


def scaled(relevance: NDArray[np.floating], width: int, height: int) -> NDArray[np.float32]:
    """The map at another size, smooth where it grows and averaged where it shrinks."""
    image = Image.fromarray(relevance.astype(np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)


def fitted(width: int, height: int, side: int) -> tuple[int, int]:
    """The size of the same form whose longer side is `side` at most; never 0."""
    factor = min(1.0, side / max(width, height))
    return max(1, round(width * factor)), max(1, round(height * factor))
