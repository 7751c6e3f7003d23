"""Made-up figures as JPEG files: structure of every scale and some noise, grey stored as colour.

Invariant: the same number and size give the same files.

    python benchmarks/synthetic_figures.py FOLDER --figures 1000 [--width 960 --height 720]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

__all__ = ["figure"]

# Cells across the picture, and how strongly they show; the noise is that of a scanner.
SCALES, NOISE, QUALITY = ((4, 90), (16, 50), (64, 30), (200, 14)), 9, 88


def figure(seed: int, width: int, height: int) -> Image.Image:
    """One figure."""
    rng = np.random.default_rng(seed)
    total = np.full((height, width), 100.0)
    for cells, strength in SCALES:
        shape = max(2, cells * height // width), cells
        small = Image.fromarray(rng.normal(size=shape).astype(np.float32))
        total += strength * np.asarray(small.resize((width, height), Image.Resampling.BICUBIC))
    total += NOISE * rng.normal(size=total.shape)
    grey = np.clip(total, 0, 255).astype(np.uint8)
    return Image.fromarray(np.stack([grey] * 3, axis=-1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--figures", type=int, required=True)
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--height", type=int, default=720)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    for place in range(asked.figures):
        image = figure(place, asked.width, asked.height)
        image.save(asked.folder / f"{place:06d}.jpg", quality=QUALITY)


if __name__ == "__main__":
    main()
