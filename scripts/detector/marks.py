"""Images without the marks of their publisher, to measure what a detector reads from them.

Invariant: only images of VQA-Med change; the labels, the order and the ids stay.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.datasets import Dataset
    from radcap.datasets.stores import ImageStore

__all__ = ["Painted", "without_marks"]

_SOURCE = "VQA-Med-2019"


def without_marks(data: Dataset) -> Dataset:
    """The same images with the places of the publisher's marks painted over."""
    rows = zip(data.column("image").to_pylist(), data.column("source").to_pylist(), strict=True)
    return replace(data, images=Painted(data.images, frozenset(key for key, one in rows if one == _SOURCE)))


@dataclass(frozen=True, slots=True)
class Painted:
    """A store of images, some of them painted over."""

    inner: ImageStore
    marked: frozenset[str]

    def read(self, key: str) -> bytes:
        held = self.inner.read(key)
        return _painted(held) if key in self.marked else held

    def has(self, key: str) -> bool:
        return self.inner.has(key)

    def name(self, key: str) -> str:
        name = self.inner.name(key)
        return f"{Path(name).stem}.png" if key in self.marked else name

    def path(self, key: str) -> Path | None:
        """None of it: what lies on disk is not painted."""

    def stamp(self, key: str) -> str:
        return f"{self.inner.stamp(key)} painted" if key in self.marked else self.inner.stamp(key)

    def keys(self) -> Iterable[str]:
        return self.inner.keys()


def _painted(held: bytes) -> bytes:
    """The corner on top at the right, and the strip at the bottom, in black."""
    pixels = np.array(Image.open(io.BytesIO(held)).convert("RGB"))
    high, wide = pixels.shape[:2]
    pixels[: round(0.1 * high), round(0.55 * wide) :] = 0
    pixels[round(0.9 * high) :] = 0
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
