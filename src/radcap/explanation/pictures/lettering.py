"""Text in figures: the letters that Pillow brings, measured, wrapped and drawn.

Invariant: any text can be drawn. A letter without a picture becomes its plain form (é is e), else a `?`; what
steers is written as JSON writes it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from PIL import Image, ImageDraw, ImageFont

from radcap.explanation.pictures.colours import INK, PAPER
from radcap.report.markup import visible

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as BitmapFont

    from radcap.explanation.pictures.colours import Colour

__all__ = ["LEADING", "drawable", "font", "line_height", "text_block", "text_width", "wrapped"]

LEADING = 1.3
_PLAIN = {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-"}
_UNKNOWN = "\U0010ffff"  # no font has it


@cache
def font(size: int) -> FreeTypeFont | BitmapFont:
    """Pillow's own font: the same on every machine."""
    return ImageFont.load_default(size)


def drawable(text: str) -> str:
    """The text in letters that the font has."""
    return "".join(map(_letter, visible(text)))


@cache
def _letter(char: str) -> str:
    plain = _PLAIN.get(char, normalize("NFKD", char)[0])
    return next((one for one in (char, plain) if _known(one)), "?")


def _known(char: str) -> bool:
    return char.isspace() or _mask(char) not in (_mask(_UNKNOWN), _mask(" "))


def _mask(char: str) -> bytes:
    image = Image.new("L", (48, 48))
    ImageDraw.Draw(image).text((8, 8), char, fill=255, font=font(24))
    return image.tobytes()


def text_width(text: str, size: int) -> int:
    """The width of a line in pixels."""
    return round(font(size).getlength(text))


def line_height(size: int) -> int:
    """The height of a line in pixels, with the room above it."""
    return round(size * LEADING)


def wrapped(text: str, size: int, width: int, most: int = 99) -> list[str]:
    """Lines that fit; a word too long for a line is cut, and the last of `most` lines ends in an ellipsis."""
    lines: list[str] = []
    line = ""
    for word in _short_words(drawable(text).split(), size, width):
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= width:
            line = longer
            continue
        lines += [line] if line else []
        line = word
    lines = [*lines, line] if line else lines
    return lines if len(lines) <= most else [*lines[: most - 1], _ended(lines[most - 1], size, width)]


def _short_words(words: list[str], size: int, width: int) -> list[str]:
    return [part for word in words for part in _parts(word, size, width)]


def _parts(word: str, size: int, width: int) -> list[str]:
    """The word, cut where it would leave its line."""
    parts = [""]
    for char in word:
        if parts[-1] and text_width(parts[-1] + char, size) > width:
            parts.append("")
        parts[-1] += char
    return parts


def _ended(line: str, size: int, width: int) -> str:
    while line and text_width(f"{line}\u2026", size) > width:
        line = line[:-1]
    return f"{line}\u2026"


def text_block(text: str, size: int, width: int, colour: Colour = INK, most: int = 99) -> Image.Image:
    """The text as a picture of the given width; of no height where there is no text."""
    lines = wrapped(text, size, width, most)
    step = line_height(size)
    image = Image.new("RGB", (width, step * len(lines)), PAPER)
    draw = ImageDraw.Draw(image)
    for place, line in enumerate(lines):
        draw.text((0, place * step), line, fill=colour, font=font(size))
    return image
