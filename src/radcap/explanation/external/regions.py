"""Boxes as arithmetic: clipped, joined, measured.

Invariant: shares of the picture run from 0 to 1; what lies beyond is cut off, and what has no area is no box.
>>> clipped(0.5, -1, 2, 0.5)
Box(left=0.5, top=0.0, width=0.5, height=0.5, share=0.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.values import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["around", "box_mask", "clipped", "covered", "holds", "mask_box"]


def clipped(left: float, top: float, right: float, bottom: float) -> Box | None:
    """The part of a rectangle that lies in the picture, if there is one."""
    left, top, right, bottom = (float(min(max(one, 0.0), 1.0)) for one in (left, top, right, bottom))
    if right <= left or bottom <= top:
        return None
    return Box(left, top, right - left, bottom - top, 0.0)


def around(across: float, down: float, size: float) -> Box:
    """A square in shares around a point, moved into the picture as far as it has to be."""
    half = size / 2
    across, down = (min(max(one, half), 1 - half) for one in (across, down))
    return Box(across - half, down - half, size, size, 0.0)


def covered(box: Box, other: Box) -> float:
    """The part of `box` that lies in `other`."""
    width = min(box.left + box.width, other.left + other.width) - max(box.left, other.left)
    height = min(box.top + box.height, other.top + other.height) - max(box.top, other.top)
    area = box.width * box.height
    return max(width, 0.0) * max(height, 0.0) / area if area else 0.0


def holds(box: Box, across: float, down: float) -> bool:
    """Whether a point lies in a box."""
    return box.left <= across <= box.left + box.width and box.top <= down <= box.top + box.height


def box_mask(box: Box, height: int, width: int) -> NDArray[np.bool_]:
    """The pixels of a box, one at least."""
    rows = _pixels(box.top, box.height, height)
    columns = _pixels(box.left, box.width, width)
    mask = np.zeros((height, width), np.bool_)
    mask[rows, columns] = True
    return mask


def mask_box(mask: NDArray[np.bool_]) -> Box | None:
    """The box around the pixels of a mask."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not rows.size:
        return None
    height, width = mask.shape
    return clipped(columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height)


def _pixels(first: float, length: float, count: int) -> slice:
    start = min(round(first * count), count - 1)
    return slice(start, max(start + 1, round((first + length) * count)))
