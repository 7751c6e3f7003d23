"""Draws docs/images/phantoms.png, explain-good.png and explain-bad.png, which docs/explainability.md shows.

Invariant: they are output of radcap as it is, but for their size and the number of their colours: phantoms
of the seed of the study with what was planted outlined, and figures of `radcap explain` for images by name.

    .venv/bin/python docs/make_explanation_pictures.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

import radcap
from radcap.datasets import load_dataset
from radcap.explanation import Explanation
from radcap.explanation.phantoms import phantom_dataset
from radcap.explanation.pictures import figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.explanation.phantoms import Phantoms

IMAGES = Path(__file__).parent / "images"
DATA = "radiology-open"
SEED, SIDE = 11, 192  # of the study
ACROSS, DOWN, GAP = 4, 2, 4
COLOURS, GREYS = 192, 20  # of a figure, and of phantoms beside the colour of their outlines
WIDTH = 940
OUTLINE = (255, 176, 0)


@dataclass(frozen=True, slots=True)
class Example:
    """A figure of one image of the test split."""

    name: str
    image: str
    model: str
    method: str


EXAMPLES = (
    Example("explain-good.png", "RadBench_test_000003", "zoo:concepts", "occlusion"),
    Example("explain-bad.png", "RadBench_test_000017", "zoo:concepts", "grad-cam"),
)


def contact_sheet() -> Image.Image:
    """Phantoms of the test split, the outlines of their shapes in one colour."""
    known = phantom_dataset(load_dataset(DATA), 80, SEED, size=SIDE)
    shown = known.dataset.split("test").ids[: ACROSS * DOWN]
    step = SIDE + GAP
    sheet = Image.new("RGB", (ACROSS * step - GAP, DOWN * step - GAP), "white")
    for number, image in enumerate(shown):
        sheet.paste(_outlined(known, image), (number % ACROSS * step, number // ACROSS * step))
    return sheet.quantize(palette=_palette(), dither=Image.Dither.NONE)


def _palette() -> Image.Image:
    greys = [level for level in np.linspace(0, 255, GREYS).round().astype(int).tolist() for _ in "rgb"]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*greys, *OUTLINE])
    return palette


def _outlined(known: Phantoms, image: str) -> Image.Image:
    place = list(known.dataset.ids).index(image)
    pixels = np.array(known.dataset.image(place).load().convert("RGB"))
    for mask in known.truth[image].values():
        pixels[_rim(mask)] = OUTLINE
    return Image.fromarray(pixels)


def _rim(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Two pixels beside a mask."""
    wide, size = np.pad(mask, 2), len(mask)
    steps = ((0, 2), (4, 2), (2, 0), (2, 4), (1, 2), (3, 2), (2, 1), (2, 3), (1, 1), (1, 3), (3, 1), (3, 3))
    near = np.logical_or.reduce([wide[down : down + size, right : right + size] for down, right in steps])
    return near & ~mask


def example(one: Example) -> Image.Image:
    data = load_dataset(DATA).split("test")
    image = data.take(np.array([list(data.ids).index(one.image)]))
    made = next(iter(radcap.explain(one.model, image, method=one.method, cases=0)))
    if not isinstance(made, Explanation):
        raise SystemExit(f"{one.image} was not explained: {made.why} Name another image.")
    return _wide(figure(made).convert("RGB"), WIDTH)


def _wide(picture: Image.Image, width: int) -> Image.Image:
    return picture.resize((width, round(picture.height * width / picture.width)), Image.Resampling.LANCZOS)


def main() -> None:
    contact_sheet().save(IMAGES / "phantoms.png", optimize=True)
    for one in EXAMPLES:
        drawn = example(one).quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        drawn.save(IMAGES / one.name, optimize=True)


if __name__ == "__main__":
    main()
