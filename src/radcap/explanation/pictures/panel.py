"""One panel of a figure: the picture, raw or with the evidence of one statement.

Invariant: a statement without one place in the image gets no boxes, and its note says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from radcap.explanation.pictures.colours import INK, QUIET, WARNING, ink_on, tag
from radcap.explanation.pictures.contour import smooth_contour
from radcap.explanation.pictures.layout import below
from radcap.explanation.pictures.lettering import drawable, font, text_block, text_width
from radcap.explanation.pictures.overlay import OPACITY, heat, laid_over
from radcap.explanation.pictures.relevance import scaled
from radcap.explanation.pictures.sentences import faithfulness_verdict, percent, place_note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.explanation.values import Box, Evidence

__all__ = ["LEAST", "drawn_evidence", "panel", "panel_size", "raw_panel"]

_LONGEST = 1.5  # side of a panel, by the side of a square one: long pictures may be longer
LEAST = 200  # pixels of width, so that a title fits
_SMALL = 15
_GAP = 6
_EDGE = (16, 16, 16)


def panel_size(width: int, height: int, side: int) -> tuple[int, int]:
    """Width and height of a picture in a panel: about the area of a square of `side`."""
    factor = side / (width * height) ** 0.5
    factor = min(factor, _LONGEST * side / max(width, height))
    return max(1, round(width * factor)), max(1, round(height * factor))


def raw_panel(picture: NDArray[np.uint8], side: int, title: Image.Image) -> Image.Image:
    """The picture as it is, under a title."""
    shown = _resized(picture, *panel_size(picture.shape[1], picture.shape[0], side))
    return below([title, shown], _GAP)


def panel(
    picture: NDArray[np.uint8], one: Evidence, number: int, side: int, title: Image.Image
) -> Image.Image:
    """The evidence of a statement: title, map, and what must be read with it."""
    size = panel_size(picture.shape[1], picture.shape[0], side)
    width = max(size[0], LEAST)
    note = place_note(one)
    told = [
        text_block(faithfulness_verdict(one.faithfulness), _SMALL, width, _verdict_colour(one), most=3)
        if one.faithfulness
        else Image.new("RGB", (width, 0)),
        text_block(note, _SMALL, width, QUIET if one.localisable else WARNING, most=4),
    ]
    return below([title, drawn_evidence(picture, one, number, size), *told], _GAP)


def _verdict_colour(one: Evidence) -> tuple[int, int, int]:
    return QUIET if one.faithfulness and one.faithfulness.gain > 0 else WARNING


def drawn_evidence(
    picture: NDArray[np.uint8], one: Evidence, number: int, size: tuple[int, int]
) -> Image.Image:
    """The picture at a size with the map of a statement, its lines and its boxes."""
    shown = np.asarray(_resized(picture, *size))
    if one.map is not None:
        relevance = scaled(one.map, *size)
        shown = laid_over(laid_over(shown, heat(relevance, OPACITY)), smooth_contour(one.map, *size))
    image = Image.fromarray(shown)
    for box in one.boxes if one.localisable else ():
        _draw_box(image, box, number)
    return image


def _resized(picture: NDArray[np.uint8], width: int, height: int) -> Image.Image:
    return Image.fromarray(picture).resize((width, height), Image.Resampling.BICUBIC)


def _draw_box(image: Image.Image, box: Box, number: int) -> None:
    """Its sides in the colour of the statement between dark lines, and its share at a corner inside."""
    draw = ImageDraw.Draw(image)
    left, top = round(box.left * image.width), round(box.top * image.height)
    right = max(left, round((box.left + box.width) * image.width) - 1)
    bottom = max(top, round((box.top + box.height) * image.height) - 1)
    colour = tag(number)
    draw.rectangle((left - 1, top - 1, right + 1, bottom + 1), outline=_EDGE, width=4)
    draw.rectangle((left, top, right, bottom), outline=colour, width=2)
    _draw_share(draw, image.size, (left, top), percent(box.share), number)


def _draw_share(
    draw: ImageDraw.ImageDraw, size: tuple[int, int], corner: tuple[int, int], share: str, number: int
) -> None:
    wide, high = text_width(drawable(share), _SMALL) + 8, _SMALL + 6
    left = max(0, min(corner[0], size[0] - wide))
    top = corner[1] - high if corner[1] >= high else min(corner[1], max(0, size[1] - high))
    draw.rectangle((left, top, left + wide, top + high), fill=tag(number), outline=INK)
    draw.text(
        (left + wide / 2, top + high / 2), share, fill=ink_on(tag(number)), font=font(_SMALL), anchor="mm"
    )
