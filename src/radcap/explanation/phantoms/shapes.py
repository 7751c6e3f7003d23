"""The shapes that are planted: each is a concept of its own, or clutter that is none.

Invariant: a shape lies within the unit circle, so that its place and radius say where it can be; CUIs from
C9910001 on are made up, far above those that UMLS has given out and apart from those of `datasets.synthetic`.
>>> SHAPES["disc"].cui, SHAPES["disc"].name
('C9910001', 'phantom disc')
"""

# ruff: noqa: PLR2004, since the numbers are those of a drawing
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui

__all__ = ["CLUTTER", "NAMES", "SHAPES", "Form", "Plane", "Shape", "coverage"]

Plane = NDArray[np.floating[Any]]  # a value for every pixel
Form = Callable[[Plane, Plane], NDArray[np.bool_]]  # whether a point of the unit circle is in the shape
_FIRST = 9_910_001
_FINE = 4  # points across a pixel: 17 steps from outside to inside


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape as a concept. Without a CUI it is clutter: drawn like the others, and said by nobody."""

    phrase: str
    form: Form
    cui: Cui = ""

    @property
    def name(self) -> str:
        return f"phantom {self.phrase}"


def coverage(form: Form, size: int, at: tuple[float, float], radius: float, angle: float) -> Plane:
    """How much of each pixel of a square the shape covers, 0 to 1. `at` is x and y; `angle` is in radians."""
    line = (np.arange(size * _FINE, dtype=np.float32) + 0.5) / _FINE
    x, y = (line[None, :] - at[0]) / radius, (line[:, None] - at[1]) / radius
    turned = np.cos(angle) * x + np.sin(angle) * y, np.cos(angle) * y - np.sin(angle) * x
    inside = form(*turned) & (np.hypot(x, y) <= 1)
    return inside.reshape(size, _FINE, size, _FINE).mean(axis=(1, 3), dtype=np.float32)


def _disc(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return np.hypot(x, y) < 0.85


def _ring(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return np.abs(np.hypot(x, y) - 0.78) < 0.18


def _bar(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return (np.abs(x) < 0.95) & (np.abs(y) < 0.22)


def _cross(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return _bar(x, y) | _bar(y, x)


def _triangle(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return (y < 0.48) & (np.abs(x) < (y + 0.96) / 1.732)


def _grid(x: Plane, y: Plane) -> NDArray[np.bool_]:
    x, y = np.abs(x), np.abs(y)
    lines = (x < 0.1) | (y < 0.1) | (np.abs(x - 0.56) < 0.1) | (np.abs(y - 0.56) < 0.1)
    return lines & (x < 0.66) & (y < 0.66)


def _crescent(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return (np.hypot(x, y) < 0.95) & (np.hypot(x - 0.5, y) > 0.8)


def _wave(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return (np.abs(x) < 0.9) & (np.abs(y - 0.35 * np.sin(5 * x)) < 0.2)


def _half(x: Plane, y: Plane) -> NDArray[np.bool_]:
    return (np.hypot(x, y) < 0.95) & (x < -0.1)


_FORMS: Mapping[str, Form] = {
    "disc": _disc,
    "ring": _ring,
    "bar": _bar,
    "cross": _cross,
    "triangle": _triangle,
    "grid": _grid,
}
SHAPES: Mapping[str, Shape] = {
    phrase: Shape(phrase, form, f"C{_FIRST + number}") for number, (phrase, form) in enumerate(_FORMS.items())
}
CLUTTER = (Shape("crescent", _crescent), Shape("wave", _wave), Shape("half disc", _half))
NAMES: Mapping[Cui, str] = {shape.cui: shape.name for shape in SHAPES.values()}
