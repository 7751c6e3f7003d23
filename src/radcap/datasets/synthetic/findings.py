"""Made findings: each is a shape of one tone and size at one place, so that it can be seen and learnt.

Invariant: the number of a finding tells how it looks, for ever. Made concepts have CUIs from C9900000 on, far
above those that UMLS has given out; they are never to be mixed with real labels.
>>> finding_name(0), finding_cui(0)
('bright small disc in the centre', 'C9900000')
"""

# ruff: noqa: PLR2004, since the numbers are those of a drawing

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from radcap.datasets.synthetic.bodies import Plane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core.runs import Cui

Mask = NDArray[np.bool_]
Shape = Callable[[Plane, Plane], Mask]

__all__ = ["FINDINGS", "Look", "draw_finding", "finding_cui", "finding_name", "look_of"]


def _ring(x: Plane, y: Plane) -> Mask:
    return np.abs(np.hypot(x, y) - 0.75) < 0.25


def _disc(x: Plane, y: Plane) -> Mask:
    return np.hypot(x, y) < 1


def _bar(x: Plane, y: Plane) -> Mask:
    return (np.abs(x) < 1.2) & (np.abs(y) < 0.3)


def _wedge(x: Plane, y: Plane) -> Mask:
    return (y > -0.9) & (y < 0.9) & (np.abs(x) < (y + 0.9) * 0.6)


def _half(x: Plane, y: Plane) -> Mask:
    return (np.hypot(x, y) < 1.1) & (x < 0)


def _dots(x: Plane, y: Plane) -> Mask:
    return np.hypot(np.abs(x) - 0.7, y) < 0.45


def _wave(x: Plane, y: Plane) -> Mask:
    return (np.abs(x) < 1.2) & (np.abs(y - 0.5 * np.sin(5 * x)) < 0.3)


def _plus(x: Plane, y: Plane) -> Mask:
    return _bar(x, y) | _bar(y, x)


def _turned(shape: Shape, degrees: float) -> Shape:
    turn = np.deg2rad(degrees)
    c, s = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    return lambda x, y: shape(c * x + s * y, c * y - s * x)


_SHAPES: Mapping[str, Shape] = {
    "disc": _disc,
    "ring": _ring,
    "level bar": _bar,
    "wedge": _wedge,
    "upright bar": _turned(_bar, 90),
    "left half disc": _half,
    "rising bar": _turned(_bar, -45),
    "level pair of dots": _dots,
    "wave": _wave,
    "falling bar": _turned(_bar, 45),
    "turned wedge": _turned(_wedge, 180),
    "upright pair of dots": _turned(_dots, 90),
    "plus": _plus,
    "upper half disc": _turned(_half, 90),
    "upright wave": _turned(_wave, 90),
    "cross": _turned(_plus, 45),
}
_TONES = ("bright", "dark")
_SIZES = {"small": 0.12, "large": 0.21, "middle-sized": 0.16}
_PLACES = {
    "in the centre": (0.0, 0.0),
    "in the upper left": (-0.42, -0.38),
    "in the lower right": (0.42, 0.38),
    "in the upper right": (0.42, -0.38),
    "in the lower left": (-0.42, 0.38),
    "in the middle of the left": (-0.46, 0.0),
    "in the middle of the right": (0.46, 0.0),
    "in the upper middle": (0.0, -0.42),
    "in the lower middle": (0.0, 0.42),
}
FINDINGS = len(_SHAPES) * len(_TONES) * len(_SIZES) * len(_PLACES)  # how many there can be
_FIRST = 9_900_000
_STRENGTH = 0.85


@dataclass(frozen=True, slots=True)
class Look:
    """How a finding looks."""

    shape: str
    tone: str
    size: str
    place: str


def look_of(number: int) -> Look:
    """The look of a finding. Neighbours in frequency differ in shape, place and tone at once."""
    shapes, tones, sizes, places = tuple(_SHAPES), _TONES, tuple(_SIZES), tuple(_PLACES)
    turn, shape = divmod(number, len(shapes))
    # walking the places and tones diagonally keeps every combination once and mixes them early
    place = (turn + shape) % len(places)
    tone = (turn // len(places) + shape) % len(tones)
    size = turn // (len(places) * len(tones))
    return Look(shapes[shape], tones[tone], sizes[size], places[place])


def finding_name(number: int) -> str:
    """A finding in words, from how it looks."""
    look = look_of(number)
    return f"{look.tone} {look.size} {look.shape} {look.place}"


def finding_cui(number: int) -> Cui:
    """A code that no concept of UMLS has."""
    return f"C{_FIRST + number:07d}"


def draw_finding(
    grey: Plane,
    x: Plane,
    y: Plane,
    number: int,
    rng: np.random.Generator,
) -> Plane:
    """The picture with a finding on it; a rim of the other tone keeps it visible on any ground."""
    look = look_of(number)
    at = np.array(_PLACES[look.place]) + rng.normal(0, 0.02, 2)
    scale = np.float32(_SIZES[look.size] * rng.uniform(0.92, 1.08))
    u, v = (x - np.float32(at[0])) / scale, (y - np.float32(at[1])) / scale
    shape = _SHAPES[look.shape]
    bright = np.float32(look.tone == _TONES[0])
    rim = shape(u * np.float32(0.8), v * np.float32(0.8))
    grey = np.where(rim, grey * 0.6 + 0.4 * (1 - bright), grey)
    return np.where(shape(u, v), grey * (1 - _STRENGTH) + _STRENGTH * bright, grey).astype(np.float32)
