"""Titles of the panels of a figure.

Invariant: all titles of a figure have one height, so that the pictures below them stand in line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from radcap.explanation.pictures.badge import badge
from radcap.explanation.pictures.colours import PAPER
from radcap.explanation.pictures.layout import beside
from radcap.explanation.pictures.lettering import text_block, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.values import Evidence

__all__ = ["titles"]

_SIZE = 19
_BADGE = 25
_LINES = 2


def titles(shown: Sequence[Evidence], width: int) -> list[Image.Image]:
    """The title of the raw image, then one for each statement, numbered from 1."""
    rows = [text_block("image", _SIZE, width), *(_title(one, n, width) for n, one in enumerate(shown, 1))]
    height = max(row.height for row in rows)
    return [_of_height(row, height) for row in rows]


def _title(one: Evidence, number: int, width: int) -> Image.Image:
    chance = "" if one.probability is None else f"p {one.probability:.2f}"
    sign, room = badge(number, _BADGE), text_width(chance, _SIZE) + 2
    name = text_block(one.label.strip() or one.key, _SIZE, width - sign.width - room - 18, most=_LINES)
    return beside([sign, name, text_block(chance, _SIZE, room)], 8)


def _of_height(row: Image.Image, height: int) -> Image.Image:
    made = Image.new("RGB", (row.width, height), PAPER)
    made.paste(row, (0, 0))
    return made
