"""Arrows that somebody drew into a picture, and what they point at.

Invariant: an arrow is a drawn piece that is even on both sides, with a shaft of one width and a triangle, its
head. Points are shares of the picture's width and height. Heads without a shaft are not found, nor arrows
that touch other marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.external.marks import drawn_pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Arrow", "find_arrows"]

_SHORTEST = 0.03  # length, as a part of the shorter side
_LARGEST = 0.03  # area, as a part of the picture
_SMALLEST = 12  # pixels
_LONG = 1.1  # spread along the arrow in spreads across it
_HEAD = 1.6  # width of the head in widths of the shaft
_HEADS = range(3, 12)  # slices that a head may have
_MISFIT = 0.15  # how far widths may be from those of a shaft and a triangle, as a part of them
_UNEVEN = 0.15  # how far a slice may lie off the middle line, in widths of the piece; the letter L is uneven
_STANDS_OUT = 70  # shades between an arrow and what is around it; without them it would help nobody
_RING = 3  # pixels around an arrow that it has to stand out from
_MOST = 0.5  # part of that ring
_BEYOND = 0.15  # how far behind the tip the thing is that is meant, in lengths
_SLICES = 16  # along the arrow, whose widths are compared


@dataclass(frozen=True, slots=True)
class Arrow:
    """From tail to tip; `points_at` is a little further."""

    tail: tuple[float, float]
    tip: tuple[float, float]
    drawn: str  # white, black or colour

    @property
    def points_at(self) -> tuple[float, float]:
        pairs = zip(self.tail, self.tip, strict=True)
        across, down = (min(max(tip + _BEYOND * (tip - tail), 0.0), 1.0) for tail, tip in pairs)
        return across, down


def find_arrows(picture: NDArray[np.uint8]) -> tuple[Arrow, ...]:
    """All arrows of a picture, height x width x 3."""
    height, width = picture.shape[:2]
    shortest = _SHORTEST * min(height, width)
    found: list[Arrow] = []
    for drawn, piece in drawn_pieces(picture, _SMALLEST, int(_LARGEST * height * width)):
        ends = _ends(piece, shortest)
        if ends is not None and _is_free(piece, height, width) and _stands_out(picture, piece):
            tail, tip = ((float(x + 0.5) / width, float(y + 0.5) / height) for y, x in ends)
            found.append(Arrow(tail, tip, drawn))
    return tuple(found)


def _ends(piece: NDArray[np.int64], shortest: float) -> NDArray[np.float64] | None:
    """The tail and the tip of an arrow (down, across), if the piece is one."""
    middle = piece.mean(axis=0)
    spreads, axes = np.linalg.eigh(np.cov((piece - middle).T, bias=True))
    across, along = ((piece - middle) @ axes).T
    # a pixel is one wide, so a line of single pixels has a spread across it too
    if np.ptp(along) < shortest or spreads[1] < _LONG**2 * (spreads[0] + 1 / 12):
        return None
    widths, offsets = _slices(along, across)
    if np.abs(offsets).max() > max(1.0, _UNEVEN * np.ptp(across)):
        return None
    forward, backward = _misfit(widths), _misfit(widths[::-1])
    if min(forward, backward) > _MISFIT:
        return None
    low, high = middle + along.min() * axes[:, 1], middle + along.max() * axes[:, 1]
    return np.stack([low, high] if forward < backward else [high, low])


def _misfit(widths: NDArray[np.float64]) -> float:
    """How far widths from tail to tip are from those of the nearest arrow, as a part of them."""
    return min(_misfit_of(widths, slices) for slices in _HEADS)


def _misfit_of(widths: NDArray[np.float64], slices: int) -> float:
    """The same with a head of so many slices: an even shaft, then a triangle whose base is clearly wider."""
    falling = (np.arange(slices, 0, -1) - 0.5) / slices
    shaft = float(np.median(widths[:-slices]))
    base = float(widths[-slices:] @ falling / (falling @ falling))
    if base < _HEAD * shaft:  # a line without a head would have 1.5
        return np.inf
    before = np.abs(widths[:-slices] - shaft).mean() / shaft
    within = np.abs(widths[-slices:] - base * falling).mean() / widths[-slices:].mean()
    return float(max(before, within))  # a bone may fit on the whole, and in neither part


def _is_free(piece: NDArray[np.int64], height: int, width: int) -> bool:
    """Whether it touches no border, as bars and frames do."""
    return bool(piece.min() > 0 and (piece.max(axis=0) < (height - 1, width - 1)).all())


def _stands_out(picture: NDArray[np.uint8], piece: NDArray[np.int64]) -> bool:
    """Whether most of what is around a piece has another shade or colour."""
    low = np.maximum(piece.min(axis=0) - _RING, 0)
    high = piece.max(axis=0) + _RING + 1
    part = picture[low[0] : high[0], low[1] : high[1]].astype(np.int16)
    own = np.zeros(part.shape[:2], np.bool_)
    own[tuple((piece - low).T)] = True
    shade = np.median(part[own], axis=0)
    far = np.abs(part - shade).max(axis=2) >= _STANDS_OUT
    ring = _grown(own, _RING) & ~_grown(own, 1)  # the pixels that touch it are blurred
    return bool(far[ring].mean() > _MOST)


def _grown(mask: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
    """With all pixels that touch it, so many times."""
    for _ in range(steps):
        padded = np.pad(mask, 1)
        rows = padded[:-2] | padded[1:-1] | padded[2:]
        mask = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return mask


def _slices(
    along: NDArray[np.float64], across: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pixels in each slice of the piece, from one end to the other, and how far off the middle they lie."""
    edges = np.linspace(float(along.min()) - 0.5, float(along.max()) + 0.5, _SLICES + 1)
    # a pixel is one long, and belongs to two slices in parts
    before = np.minimum(np.maximum(edges[:, None] - (along - 0.5), 0.0), 1.0)
    parts: NDArray[np.float64] = before[1:] - before[:-1]
    widths = parts.sum(axis=1)
    return widths, parts @ across / np.maximum(widths, 1.0)
