"""Pictures with structure at every scale, as scans have, for tests of likeness."""

from __future__ import annotations

import numpy as np
from PIL import Image

__all__ = ["phantom"]


def phantom(seed: int, width: int = 256, height: int = 192) -> np.ndarray:
    """A bright body with inner structure on a black ground; no other seed gives it."""
    rng = np.random.default_rng(seed)
    body = np.sum([_octave(rng, cells, width, height) / cells for cells in (3, 6, 12, 24)], axis=0)
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    middle, radius = rng.uniform(-0.15, 0.15, 2), rng.uniform(0.6, 0.9, 2)
    inside = ((x - middle[0]) / radius[0]) ** 2 + ((y - middle[1]) / radius[1]) ** 2 < 1
    spread = (body - body.min()) / (body.max() - body.min())
    return np.where(inside, 40 + 200 * spread, 4).astype(np.uint8)


def _octave(rng: np.random.Generator, cells: int, width: int, height: int) -> np.ndarray:
    grid = Image.fromarray(rng.random((cells, cells)).astype(np.float32))
    return np.asarray(grid.resize((width, height), Image.Resampling.BICUBIC))
