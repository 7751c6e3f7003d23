"""The number of a statement on its colour.

Invariant: the number can be read by itself, so nothing is told by colour alone.
"""

from __future__ import annotations

from PIL import Image, ImageDraw

from radcap.explanation.pictures.colours import PAPER, ink_on, tag
from radcap.explanation.pictures.lettering import font

__all__ = ["badge"]

_FINER = 4  # drawn larger and made smaller, for smooth corners


def badge(number: int, side: int) -> Image.Image:
    """A square with round corners; two digits make it wider."""
    width = side if number < 10 else round(side * 1.4)  # noqa: PLR2004
    image = Image.new("RGB", (width * _FINER, side * _FINER), PAPER)
    draw = ImageDraw.Draw(image)
    whole = (0, 0, image.width - 1, image.height - 1)
    draw.rounded_rectangle(whole, radius=side, fill=tag(number))
    letters = font(round(side * 0.74) * _FINER)
    middle = (image.width / 2, image.height / 2)
    draw.text(middle, str(number), fill=ink_on(tag(number)), font=letters, anchor="mm")
    return image.resize((width, side), Image.Resampling.LANCZOS)
