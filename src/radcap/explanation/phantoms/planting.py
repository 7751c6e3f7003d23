"""Shapes planted in a picture: added to the tissue, so that its texture goes on within them.

Invariant: the mask of a shape is exactly the pixels that it changed, no two masks meet, and nothing is driven
into black or white: a host has room (`ROOM`) below and above its greys, and no shape is stronger than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.phantoms.shapes import coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.phantoms.shapes import Plane, Shape

__all__ = ["ROOM", "Planted", "Planting", "plant"]

ROOM = 44  # grey levels that a host leaves free at both ends: no shape is stronger
_RADII = 0.085, 0.135  # of the side of the picture
_GAP = 1.5  # pixels between two shapes, and between a shape and the rim
_SHRUNK = 0.9  # radii of the next try, where the shapes did not fit
_SPREADS = 1.4, 2.2  # strength in standard deviations of the tissue around
_WEAKEST = 18.0  # grey levels: what a person sees on even ground
_DARK, _RESTLESS = 24.0, 32.0  # above the darkest grey, tissue begins; more spread hides any shape


@dataclass(frozen=True, slots=True, eq=False)
class Planted:
    """A shape in a picture: the part of the picture that it was drawn in, and its pixels there."""

    shape: Shape
    top: int
    left: int
    mask: NDArray[np.bool_]

    def over(self, side: int) -> NDArray[np.bool_]:
        """The mask over a square picture."""
        whole = np.zeros((side, side), np.bool_)
        height, width = self.mask.shape
        whole[self.top : self.top + height, self.left : self.left + width] = self.mask
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class Planting:
    """A picture with its shapes."""

    grey: NDArray[np.uint8]
    shapes: tuple[Planted, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    x: float
    y: float
    radius: float


def plant(host: NDArray[np.uint8], shapes: Sequence[Shape], rng: np.random.Generator) -> Planting:
    """A copy of a square host with each of the shapes somewhere in its tissue, brighter or darker."""
    grey = host.astype(np.int16)
    ground = _Ground.of(host)
    found: list[Planted] = []
    for shape, place in zip(shapes, _places(ground, len(shapes), rng), strict=True):
        change, top, left = _drawn(shape, place, ground, rng)
        height, width = change.shape
        grey[top : top + height, left : left + width] += change
        found.append(_cut(shape, top, left, change != 0))
    return Planting(grey.astype(np.uint8), tuple(found))


def _cut(shape: Shape, top: int, left: int, mask: NDArray[np.bool_]) -> Planted:
    """Less the rows and columns at the rim that were not changed."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    part = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return Planted(shape, top + int(rows[0]), left + int(columns[0]), part)


def _drawn(
    shape: Shape, place: _Place, ground: _Ground, rng: np.random.Generator
) -> tuple[NDArray[np.int16], int, int]:
    """What a shape adds to the grey levels around its place, and the first row and column of that."""
    reach = int(np.ceil(place.radius)) + 1
    top, left = int(place.y) - reach, int(place.x) - reach
    at = place.x - left, place.y - top
    covered = coverage(shape.form, 2 * reach + 1, at, place.radius, rng.uniform(0, 2 * np.pi))
    spread = ground.spread[int(place.y), int(place.x)]
    strength = np.clip(rng.uniform(*_SPREADS) * spread, _WEAKEST, ROOM) * rng.choice((-1.0, 1.0))
    change = np.rint(covered * strength).astype(np.int16)
    return _inside(change, top, left, len(ground.spread))


def _inside(change: NDArray[np.int16], top: int, left: int, side: int) -> tuple[NDArray[np.int16], int, int]:
    """The part within the picture; what is cut off covers nothing, since places keep off the rim."""
    above, before = max(0, -top), max(0, -left)
    part = change[above : side - top, before : side - left]
    return part, top + above, left + before


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """Spread and brightness around each pixel of a host, and whether that is tissue to plant in."""

    spread: Plane
    tissue: NDArray[np.bool_]

    @classmethod
    def of(cls, host: NDArray[np.uint8]) -> _Ground:
        grey = host.astype(np.float64)
        reach = round(sum(_RADII) / 2 * len(host))
        mean = _mean_around(grey, reach)
        spread = np.sqrt(np.clip(_mean_around(grey * grey, reach) - mean * mean, 0, None))
        return cls(spread, (mean > grey.min() + _DARK) & (spread < _RESTLESS))


def _mean_around(grey: Plane, reach: int) -> Plane:
    """The mean of the square around each pixel, by sums over rectangles."""
    wide = np.pad(grey, reach, mode="edge")
    sums = np.pad(wide.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    width = 2 * reach + 1
    total = sums[width:, width:] - sums[:-width, width:] - sums[width:, :-width] + sums[:-width, :-width]
    return total / width**2


def _places(ground: _Ground, count: int, rng: np.random.Generator) -> list[_Place]:
    """Places apart from each other; radii shrink until all of them fit."""
    radii = rng.uniform(*_RADII, count) * len(ground.spread)
    while True:
        found = _tried(ground, radii.tolist(), rng)
        if found is not None:
            return found
        radii = radii * _SHRUNK


def _tried(ground: _Ground, radii: Sequence[float], rng: np.random.Generator) -> list[_Place] | None:
    """One place after the other, in tissue where there is some left; None where one does not fit."""
    middles = np.arange(len(ground.spread)) + 0.5
    found: list[_Place] = []
    for radius in radii:
        free = _free(middles, radius, found)
        if not free.any():
            return None
        wanted = free & ground.tissue
        spots = np.argwhere(wanted if wanted.any() else free)
        row, column = spots[rng.integers(len(spots))].tolist()
        found.append(_Place(column + 0.5, row + 0.5, radius))
    return found


def _free(middles: Plane, radius: float, taken: Sequence[_Place]) -> NDArray[np.bool_]:
    """Where the middle of a shape of that radius can be."""
    near = np.minimum(middles, len(middles) - middles) >= radius + _GAP
    free = near[:, None] & near[None, :]
    for one in taken:
        apart = np.hypot(middles[None, :] - one.x, middles[:, None] - one.y)
        free &= apart >= radius + one.radius + _GAP
    return free
