"""Colours of maps and of statements.

Invariant: both scales run from dark to light in even steps of OKLab, so that a larger value is a lighter one
for every kind of sight and in grey print too; tags differ for every kind of sight and go with a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AGAINST", "FOR", "INK", "PAPER", "QUIET", "TAGS", "WARNING", "Colour", "Scale", "ink_on", "tag"]

Colour: TypeAlias = tuple[int, int, int]

INK: Colour = (26, 33, 41)
PAPER: Colour = (255, 255, 255)
QUIET: Colour = (85, 96, 108)
WARNING: Colour = (163, 41, 31)

# The colours of Okabe and Ito (2008) with a grey for their black, which no dark picture would show.
TAGS: tuple[Colour, ...] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (204, 121, 167),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (200, 200, 200),
)

_BLACK: Colour = (0, 0, 0)
_STEPS = 256
# OKLab to linear light (Ottosson 2020).
_CONES = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
)
_LIGHT = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A way through OKLab by anchors (lightness, green to red, blue to yellow), the darkest first."""

    anchors: tuple[tuple[float, float, float], ...]

    @property
    def path(self) -> NDArray[np.float64]:
        """Steps x 3 in OKLab, each as far from the one before."""
        anchors = np.array(self.anchors)
        lengths = np.linalg.norm(np.diff(anchors, axis=0), axis=1)
        along = np.concatenate([[0.0], np.cumsum(lengths)])
        places = np.linspace(0, float(along[-1]), _STEPS)
        parts: list[NDArray[np.float64]] = [np.interp(places, along, part) for part in anchors.T]
        return np.stack(parts, axis=1)

    @property
    def table(self) -> NDArray[np.uint8]:
        """Steps x 3 as a screen takes them."""
        light = ((self.path @ _CONES.T) ** 3) @ _LIGHT.T
        return np.rint(255 * _encoded(np.clip(light, 0, 1))).astype(np.uint8)

    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.uint8]:
        """Values of 0 to 1 (beyond them the ends) as colours, in one more dimension."""
        steps = np.rint(np.clip(values, 0, 1) * (_STEPS - 1)).astype(np.intp)
        return self.table[steps]


def _encoded(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """Linear light as sRGB."""
    dark = light <= 0.0031308  # noqa: PLR2004, where the standard changes from a line to a power
    return np.where(dark, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


# From violet over red to yellow: no tissue and no scanner draws in these.
FOR = Scale(
    (
        (0.28, 0.071, -0.084),
        (0.42, 0.148, -0.026),
        (0.58, 0.165, 0.095),
        (0.74, 0.077, 0.146),
        (0.93, -0.027, 0.127),
    )
)
# What speaks against a statement: from navy over blue to pale cyan.
AGAINST = Scale(
    (
        (0.28, 0.003, -0.09),
        (0.45, -0.018, -0.129),
        (0.62, -0.055, -0.118),
        (0.78, -0.086, -0.06),
        (0.94, -0.049, -0.009),
    )
)


def tag(number: int) -> Colour:
    """The colour of a statement by its number, from 1; those beyond the palette share the last, grey."""
    return TAGS[min(number, len(TAGS)) - 1]


def ink_on(colour: Colour) -> Colour:
    """The ink that can be read on a colour: black or white."""
    red, green, blue = ((part / 255) ** 2.2 for part in colour)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return _BLACK if luminance > 0.18 else PAPER  # noqa: PLR2004, where both have the same contrast
