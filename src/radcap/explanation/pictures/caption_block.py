"""The caption in a figure, its statements on their colours and with their numbers.

Invariant: every word of the caption is drawn, in order; a badge stands before its statement's first word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

from radcap.explanation.pictures.badge import badge
from radcap.explanation.pictures.colours import INK, PAPER, ink_on, tag
from radcap.explanation.pictures.lettering import drawable, font, text_width
from radcap.explanation.pictures.numbers import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from radcap.explanation.values import Evidence

__all__ = ["caption_block"]

_SIZE = 25
_LINE = 42
_BADGE = 23
_BLANK = 7
_ROOM = 4  # beside a word on colour


@dataclass(frozen=True, slots=True)
class _Bit:
    """A badge, or letters without a blank; `glued` to what stands before it."""

    text: str
    number: int = 0
    badge: bool = False
    glued: bool = False

    @property
    def width(self) -> int:
        if self.badge:
            return badge(self.number, _BADGE).width + 3
        return text_width(self.text, _SIZE) + (2 * _ROOM if self.number else 0)


def caption_block(caption: str, statements: Sequence[Evidence], width: int) -> Image.Image:
    """The caption, wrapped to a width; statement n of the sequence has the number n, from 1."""
    lines = _lines(list(_bits(caption, statements)), width)
    image = Image.new("RGB", (width, _LINE * len(lines)), PAPER)
    for place, line in enumerate(lines):
        _draw_line(image, line, place * _LINE)
    return image


def _bits(caption: str, statements: Sequence[Evidence]) -> Iterator[_Bit]:
    glued = False
    for piece in pieces(caption, statements):
        number = piece.numbers[-1] if piece.numbers else 0
        text = drawable(piece.text)
        glued = glued and not text[:1].isspace()
        for one in piece.begins:
            yield _Bit("", one, badge=True, glued=glued)
            glued = True
        for word in text.split():
            yield _Bit(word, number, glued=glued)
            glued = False
        glued = bool(text) and not text[-1].isspace()


def _groups(bits: list[_Bit]) -> list[list[_Bit]]:
    """What must not be parted by the end of a line."""
    groups: list[list[_Bit]] = []
    for bit in bits:
        if bit.glued and groups:
            groups[-1].append(bit)
        else:
            groups.append([bit])
    return groups


def _lines(bits: list[_Bit], width: int) -> list[list[list[_Bit]]]:
    lines: list[list[list[_Bit]]] = []
    left = width + 1
    for group in _groups(bits):
        room = sum(bit.width for bit in group) + _BLANK
        if left + room - _BLANK > width:
            lines.append([])
            left = 0
        lines[-1].append(group)
        left += room
    return lines


def _draw_line(image: Image.Image, line: list[list[_Bit]], top: int) -> None:
    left = before = 0
    for group in line:
        for bit in group:
            if bit.number and bit.number == before and not bit.glued:
                _draw_band(image, bit.number, left - _BLANK - _ROOM, left + _ROOM, top, round_by=0)
            _draw_bit(image, bit, left, top)
            left += bit.width
            before = 0 if bit.badge else bit.number
        left += _BLANK


def _draw_band(
    image: Image.Image, number: int, left: int, right: int, top: int, *, round_by: int = _ROOM
) -> None:
    band = (left, top + 3, right, top + _LINE - 5)
    ImageDraw.Draw(image).rounded_rectangle(band, radius=round_by, fill=tag(number))


def _draw_bit(image: Image.Image, bit: _Bit, left: int, top: int) -> None:
    if bit.badge:
        image.paste(badge(bit.number, _BADGE), (left, top + (_LINE - _BADGE) // 2))
        return
    draw = ImageDraw.Draw(image)
    if bit.number:
        _draw_band(image, bit.number, left, left + bit.width - 1, top)
    ink = ink_on(tag(bit.number)) if bit.number else INK
    start = left + (_ROOM if bit.number else 0)
    draw.text((start, top + _LINE / 2 - 1), bit.text, fill=ink, font=font(_SIZE), anchor="lm")
