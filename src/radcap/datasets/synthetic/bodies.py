"""The body that a synthetic image shows: soft tissue, bone and air of eight regions.

Invariant: a body depends on region, direction and a little chance; how it is shown is up to the modality.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Body", "Plane", "body_of", "clouds", "oval", "plane"]

_BEND = 0.16  # no two bodies are bent alike, so that they are no near duplicates
Plane = NDArray[np.floating[Any]]  # a value for every pixel


@dataclass(frozen=True, slots=True)
class Body:
    """How much of each there is at every pixel, 0 to 1."""

    soft: Plane
    bone: Plane
    air: Plane


def plane(size: int) -> tuple[Plane, Plane]:
    """The x and the y of every pixel, -1 to 1."""
    line = np.linspace(-1, 1, size, dtype=np.float32)
    return np.tile(line, (size, 1)), np.tile(line[:, None], (1, size))


def clouds(size: int, cells: int, rng: np.random.Generator) -> Plane:
    """Smooth chance, 0 to 1, with as many bumps in a row."""
    small = Image.fromarray(rng.random((cells, cells), np.float32))
    grown = small.resize((size, size), Image.Resampling.BICUBIC)
    return np.clip(np.asarray(grown, np.float32), 0, 1)


def oval(x: Plane, y: Plane, at: tuple[float, float], radii: tuple[float, float]) -> Plane:
    """An ellipse with a soft edge."""
    r = np.hypot((x - at[0]) / radii[0], (y - at[1]) / radii[1])
    return np.clip((1 - r) * (30 * min(radii)) + 0.5, 0, 1).astype(np.float32)


def body_of(region: int, direction: int, x: Plane, y: Plane, rng: np.random.Generator) -> Body:
    """A body of that region, a little moved and turned, as seen from that direction."""
    turn, scale = rng.normal(0, 0.1), rng.uniform(0.86, 1.08)
    c, s = np.cos(turn) / scale, np.sin(turn) / scale
    dx, dy = rng.normal(0, 0.04, 2)
    u, v = (x - dx) * c + (y - dy) * s, (y - dy) * c - (x - dx) * s
    u, v = u + _BEND * (clouds(len(x), 4, rng) - 0.5), v + _BEND * (clouds(len(x), 4, rng) - 0.5)
    across, along, mirror = _VIEWS[direction]
    return _REGIONS[region]((u * mirror / across).astype(np.float32), (v / along).astype(np.float32))


# anterior-posterior, postero-anterior, sagittal, transversal: width, height, and which side is left
_VIEWS = ((1.0, 1.0, 1), (0.92, 1.0, -1), (0.62, 1.0, 1), (1.0, 0.62, 1))


def _column(x: Plane, y: Plane, half: float, step: float) -> Plane:
    """Vertebrae: blocks one above the other."""
    blocks = np.clip(np.sin(y * (2 * np.pi / step)) * 6 + 3, 0.15, 1)
    return (np.clip((half - np.abs(x)) * 25 + 0.5, 0, 1) * blocks).astype(np.float32)


def _chest(x: Plane, y: Plane) -> Body:
    soft = oval(x, y, (0, 0.05), (0.86, 0.98))
    heart = oval(x, y, (0.14, 0.22), (0.26, 0.3))
    lungs = np.maximum(oval(x, y, (-0.42, 0), (0.3, 0.6)), oval(x, y, (0.42, 0), (0.3, 0.6)))
    ribs = np.clip(np.sin(26 * (y - 0.45 * np.abs(x) ** 1.5)) * 2 - 0.8, 0, 1) * lungs * 0.6
    bone = np.maximum(ribs, _column(x, y, 0.07, 0.16) * 0.6 * soft)
    return Body(soft, bone, lungs * (1 - heart))


def _cranium(x: Plane, y: Plane) -> Body:
    soft = oval(x, y, (0, -0.05), (0.72, 0.86))
    skull = soft - oval(x, y, (0, -0.05), (0.63, 0.77))
    eyes = np.maximum(oval(x, y, (-0.26, 0.2), (0.14, 0.11)), oval(x, y, (0.26, 0.2), (0.14, 0.11)))
    return Body(soft, np.clip(skull, 0, 1), eyes * 0.5 + oval(x, y, (0, 0.48), (0.08, 0.16)) * 0.6)


def _leg(x: Plane, y: Plane) -> Body:
    width = 0.36 + 0.12 * np.cos(2.6 * y)
    soft = np.clip((width - np.abs(x)) * 20 + 0.5, 0, 1).astype(np.float32)
    shaft = np.clip((0.13 + 0.11 * np.exp(-((y / 0.2) ** 2)) - np.abs(x)) * 25 + 0.5, 0, 1)
    gap = np.clip(np.abs(y - 0.02) * 40 - 0.8, 0, 1)
    return Body(soft, (shaft * gap).astype(np.float32), np.zeros_like(soft))


def _abdomen(x: Plane, y: Plane) -> Body:
    soft = oval(x, y, (0, 0), (0.92, 0.96))
    gas = np.maximum(oval(x, y, (-0.5, -0.15), (0.13, 0.22)), oval(x, y, (0.45, 0.42), (0.2, 0.12)))
    gas = np.maximum(gas, oval(x, y, (0.1, -0.55), (0.26, 0.1)))
    return Body(soft, _column(x, y, 0.11, 0.3) * 0.8 * soft, gas * 0.8)


def _pelvis(x: Plane, y: Plane) -> Body:
    soft = oval(x, y, (0, 0.1), (0.95, 0.9))
    side = np.abs(x)
    wing = oval(side, y, (0.45, -0.15), (0.36, 0.42)) - 0.75 * oval(side, y, (0.48, -0.15), (0.24, 0.28))
    joint = oval(side, y, (0.6, 0.45), (0.17, 0.17))
    ring = oval(x, y, (0, 0.4), (0.34, 0.3)) - oval(x, y, (0, 0.4), (0.24, 0.2))
    return Body(soft, np.clip(np.maximum(np.maximum(wing, joint), ring), 0, 1), np.zeros_like(soft))


def _arm(x: Plane, y: Plane) -> Body:
    lean = x - 0.35 * y
    soft = np.clip((0.26 - np.abs(lean)) * 20 + 0.5, 0, 1).astype(np.float32)
    bone = np.clip((0.065 - np.abs(np.abs(lean) - 0.12)) * 30 + 0.5, 0, 1).astype(np.float32)
    return Body(soft, bone, np.zeros_like(soft))


def _spine(x: Plane, y: Plane) -> Body:
    curve = x - 0.1 * np.sin(2 * y)
    soft = np.clip((0.6 - np.abs(curve)) * 8 + 0.5, 0, 1).astype(np.float32)
    return Body(soft, _column(curve, y, 0.2, 0.34), np.zeros_like(soft))


def _breast(x: Plane, y: Plane) -> Body:
    soft = oval(x, y, (-1, 0), (1.35, 0.85))
    ducts = np.clip(np.sin(9 * np.arctan2(y, x + 1.0)) * 3 - 1.6, 0, 1) * soft * 0.35
    return Body(soft, ducts.astype(np.float32), np.zeros_like(soft))


# in the order of `REGION_CUIS`
_REGIONS: tuple[Callable[[Plane, Plane], Body], ...] = (
    _chest,
    _cranium,
    _leg,
    _abdomen,
    _pelvis,
    _arm,
    _spine,
    _breast,
)
