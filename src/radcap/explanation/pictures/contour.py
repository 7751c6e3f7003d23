"""Lines around what is most relevant, at fixed shares of the maximum.

Invariant: a line is white between dark edges, so it can be seen on any picture and in grey; it lies inside
the region that it bounds, and is open where the region leaves the picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.pictures.relevance import positive, scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["LEVELS", "contour", "grown", "region_edge", "smooth_contour"]

LEVELS = (0.5, 0.8)
_EDGE = 16  # grey
_EDGE_ALPHA = 190


def region_edge(region: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those pixels of a region that have one outside it above, below, left or right."""
    around = np.pad(region, 1, constant_values=True)  # beyond the picture nobody knows: no line there
    inner = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    return region & ~inner


def grown(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """The mask and every pixel at most so many steps from it, slanting ones included."""
    for _ in range(by):
        around = np.pad(mask, 1)
        rows = around[:-2] | around[1:-1] | around[2:]
        mask = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return mask


def contour(
    relevance: NDArray[np.floating], levels: Sequence[float] = LEVELS, *, thick: int = 0, edge: int = 1
) -> NDArray[np.uint8]:
    """The lines alone, height x width x 4. `thick` adds so many pixels to each side of a line of one pixel,
    and `edge` so many dark ones beyond them."""
    line = _lines(relevance, levels, thick)
    drawn = np.zeros((*line.shape, 4), dtype=np.uint8)
    drawn[grown(line, edge)] = (_EDGE, _EDGE, _EDGE, _EDGE_ALPHA)
    drawn[line] = 255
    return drawn


def smooth_contour(
    relevance: NDArray[np.floating], width: int, height: int, levels: Sequence[float] = LEVELS
) -> NDArray[np.uint8]:
    """The lines over a picture of that size, without steps: drawn at twice the size and averaged."""
    line = _lines(scaled(relevance, 2 * width, 2 * height), levels, 1)
    white, dark = _quarters(line), _quarters(grown(line, 2) & ~line)
    alpha = 255 * white + _EDGE_ALPHA * dark
    # weighed by what is there, for a transparent pixel must not darken its neighbours
    grey = (255 * 255 * white + _EDGE * _EDGE_ALPHA * dark) / np.maximum(alpha, 1)
    return np.rint(np.stack([grey, grey, grey, alpha], axis=-1)).astype(np.uint8)


def _lines(relevance: NDArray[np.floating], levels: Sequence[float], thick: int) -> NDArray[np.bool_]:
    values = positive(relevance)
    most = float(values.max(initial=0.0))
    line = np.zeros(values.shape, dtype=np.bool_)
    for level in levels if most > 0 else ():
        line |= region_edge(values >= level * most)
    return grown(line, thick)


def _quarters(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """How much of each square of four pixels is in the mask."""
    parts = [mask[row::2, column::2] for row in (0, 1) for column in (0, 1)]
    return np.stack(parts).mean(axis=0, dtype=np.float32)
