"""Key points: where a picture changes in two directions at once, corners of shade.

Invariant: the measure of a point is the smaller eigenvalue of the structure tensor around it (Shi and Tomasi,
1994); chosen points lie in the box, strongest first, and no two are nearer than a set distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.external.regions import box_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.explanation.values import Box

__all__ = ["corner_measure", "key_points"]

_APART = 0.03  # the least distance of two points, as a part of the shorter side
_LEAST = 0.01  # the weakest point that counts, as a part of the strongest
_SHADES = np.array([0.299, 0.587, 0.114])  # grey of red, green and blue, as ITU-R BT.601 weighs them


def key_points(picture: NDArray[np.uint8], box: Box, most: int) -> tuple[tuple[float, float], ...]:
    """Points of a box (across and down, in shares of the picture); fewer where it is flat."""
    height, width = picture.shape[:2]
    measure = np.where(
        box_mask(box, height, width), corner_measure(picture.astype(np.float64) @ _SHADES), 0.0
    )
    radius = max(1, round(_APART * min(height, width)))
    least = _LEAST * measure.max()
    found: list[tuple[float, float]] = []
    while len(found) < most:
        down, across = np.unravel_index(int(measure.argmax()), measure.shape)
        if measure[down, across] <= least:
            break
        found.append(((float(across) + 0.5) / width, (float(down) + 0.5) / height))
        _blank(measure, int(down), int(across), radius)
    return tuple(found)


def corner_measure(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    """The smaller eigenvalue of the structure tensor over 3 x 3 pixels."""
    down, across = _slopes(grey), _slopes(grey.T).T
    yy, xx, xy = (_summed(one) for one in (down * down, across * across, down * across))
    return (yy + xx) / 2 - np.sqrt(((yy - xx) / 2) ** 2 + xy**2)


def _slopes(grey: NDArray[np.float64]) -> NDArray[np.float64]:
    """How shades change from row to row, by Sobel's weights."""
    padded = np.pad(grey, 1, mode="reflect") if min(grey.shape) > 1 else np.pad(grey, 1, mode="edge")
    smooth = padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:]
    return smooth[2:] - smooth[:-2]


def _summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over each pixel and the eight around it."""
    padded = np.pad(values, 1, mode="reflect") if min(values.shape) > 1 else np.pad(values, 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]


def _blank(measure: NDArray[np.float64], down: int, across: int, radius: int) -> None:
    """Nothing more is chosen around a point that was."""
    rows = slice(max(0, down - radius), down + radius + 1)
    columns = slice(max(0, across - radius), across + radius + 1)
    measure[rows, columns] = 0.0
