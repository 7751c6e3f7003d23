"""Pictures and maps as `data:` addresses, small enough that many images fit in one page.

Invariant: maps and lines are palette pictures whose transparency is in the palette; the picture, its heat and
its lines have one form, so they lie on one another at any size.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from radcap.explanation.pictures.colours import AGAINST, FOR
from radcap.explanation.pictures.contour import smooth_contour
from radcap.explanation.pictures.relevance import fitted, scaled, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["contour_address", "heat_address", "picture_address"]

_PICTURE = 640  # pixels of the longer side
_HEAT = 96
_CONTOUR = 320
_QUALITY = 80
_LEVELS = 40  # of relevance in each direction: more cannot be told apart when half transparent


def picture_address(picture: NDArray[np.uint8], side: int = _PICTURE) -> str:
    """The picture, made smaller where it is larger."""
    image = Image.fromarray(picture)
    size = fitted(*image.size, side)
    image = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
    return _address(image, "webp", quality=_QUALITY, method=4)


def heat_address(relevance: NDArray[np.floating]) -> str:
    """The map alone: warm where it speaks for the statement, blue where against."""
    values = shares(scaled(relevance, *fitted(relevance.shape[1], relevance.shape[0], _HEAT)))
    steps = np.rint(np.abs(values) * _LEVELS)
    places = np.where((values < 0) & (steps > 0), steps + _LEVELS, steps).astype(np.uint8)
    strengths = np.linspace(0, 1, _LEVELS + 1)
    table = np.concatenate([FOR(strengths), AGAINST(strengths[1:])])
    alpha = np.rint(255 * np.concatenate([strengths, strengths[1:]])).astype(np.uint8)
    return _palette_address(places, table, alpha)


def contour_address(relevance: NDArray[np.floating]) -> str:
    """The lines alone."""
    height, width = relevance.shape
    size = fitted(width * _CONTOUR, height * _CONTOUR, _CONTOUR)  # small maps grow, or lines would be thick
    lines = smooth_contour(relevance, *size)
    whole = lines.view(np.uint32)[..., 0]
    packed = np.unique(whole)  # some fifteen colours
    places = np.searchsorted(packed, whole)
    colours = packed.view(np.uint8).reshape(-1, 4)
    return _palette_address(places.astype(np.uint8), colours[:, :3], colours[:, 3])


def _palette_address(places: NDArray[np.uint8], table: NDArray[np.uint8], alpha: NDArray[np.uint8]) -> str:
    image = Image.fromarray(places)
    image.putpalette(table.tobytes())
    return _address(image, "png", optimize=True, transparency=alpha.tobytes())


def _address(image: Image.Image, kind: str, **options: object) -> str:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode('ascii')}"
