"""Synthetic images, made when they are asked for.

Invariant: the bytes of an image depend on the seed, the size, its place and its facts, and on nothing else.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from radcap.datasets.refusal import missing_image
from radcap.datasets.synthetic.bodies import Plane, body_of, clouds, plane
from radcap.datasets.synthetic.findings import draw_finding
from radcap.datasets.synthetic.modalities import LOOKS, Scene, hot_spots

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.datasets.synthetic.facts import Facts

__all__ = ["ENDINGS", "SyntheticImages", "draw_image"]

ENDINGS = {"PNG": ".png", "JPEG": ".jpg"}
_VERSION = 1  # raise it when the drawing changes, so that caches are made anew


@dataclass(frozen=True, slots=True)
class SyntheticImages:
    """A store that draws. A key is the place of the image, then its ending."""

    facts: Facts = field(repr=False)
    seed: int
    size: int
    form: str = "PNG"  # or JPEG
    copies: Mapping[int, int] = field(default_factory=dict[int, int])  # places that show another one
    retouched: frozenset[int] = frozenset()  # copies that were made a little paler
    broken: frozenset[int] = frozenset()  # files that break off
    missing: frozenset[int] = frozenset()

    def read(self, key: str) -> bytes:
        place = self._place(key)
        if place is None:
            raise missing_image(key)
        pixels = draw_image(self.facts, self.copies.get(place, place), self.seed, self.size)
        image = Image.fromarray(_retouched(pixels) if place in self.retouched else pixels)
        out = io.BytesIO()
        image.save(out, self.form, compress_level=1, quality=85)
        data = out.getvalue()
        return data[: len(data) // 2] if place in self.broken else data

    def has(self, key: str) -> bool:
        return self._place(key) is not None

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:  # noqa: ARG002
        return None

    def stamp(self, key: str) -> str:
        place = self._place(key)
        facts = (
            ""
            if place is None
            else (self.copies.get(place, place), place in self.retouched, place in self.broken)
        )
        return f"{_VERSION}:{self.seed}:{len(self.facts)}:{self.size}:{self.form}:{key}:{facts}"

    def keys(self) -> Iterable[str]:
        ending = ENDINGS[self.form]
        return (f"{place:07d}{ending}" for place in range(len(self.facts)) if place not in self.missing)

    def _place(self, key: str) -> int | None:
        digits, dot, ending = key.partition(".")
        if f"{dot}{ending}" != ENDINGS[self.form] or not (digits.isascii() and digits.isdigit()):
            return None
        place = int(digits)
        return place if place < len(self.facts) and place not in self.missing else None


def draw_image(facts: Facts, place: int, seed: int, size: int) -> NDArray[np.uint8]:
    """The pixels of an image: grey, or RGB for fused PET and CT."""
    rng = np.random.default_rng([seed, place])
    x, y = plane(size)
    look = LOOKS[int(facts.modalities[place])]
    body = body_of(int(facts.regions[place]), int(facts.directions[place]), x, y, rng)
    scene = Scene(body, x, y, rng)
    grey = look.ground(scene) * (0.75 + 0.5 * clouds(size, 3, rng))  # no exposure is even
    for number in facts.of(place):
        grey = draw_finding(grey, x, y, number, rng)
    shades = (np.clip(look.finish(grey, scene), 0, 1) * 255).astype(np.uint8)
    return _fused(shades, hot_spots(scene)) if look.coloured else shades


def _retouched(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A little paler, and coarser in its greys, as a copy of a copy is."""
    return (pixels // 4 * 4 * 0.94 + 10).astype(np.uint8)


def _fused(shades: NDArray[np.uint8], hot: Plane) -> NDArray[np.uint8]:
    """Grey CT under PET in the colours of hot metal."""
    metal = np.stack([np.clip(hot * 3 - shift, 0, 1) for shift in (0, 1, 2)], axis=-1) * 255
    cover = np.clip(hot * 1.6, 0, 0.85)[..., None]
    return (shades[..., None] * (1 - cover) + metal * cover).astype(np.uint8)
