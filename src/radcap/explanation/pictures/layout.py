"""Pictures put below and beside one another.

Invariant: nothing is cut: the result is as large as its parts and the gaps between them; parts of no height
take no room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from radcap.explanation.pictures.colours import PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["below", "beside", "framed"]


def below(parts: Sequence[Image.Image], gap: int) -> Image.Image:
    """The parts from top to bottom, all at the left."""
    parts = [part for part in parts if part.height]
    width = max((part.width for part in parts), default=1)
    height = sum(part.height for part in parts) + gap * max(len(parts) - 1, 0)
    made = Image.new("RGB", (width, height), PAPER)
    top = 0
    for part in parts:
        made.paste(part, (0, top))
        top += part.height + gap
    return made


def beside(parts: Sequence[Image.Image], gap: int) -> Image.Image:
    """The parts from left to right, all at the top."""
    width = sum(part.width for part in parts) + gap * max(len(parts) - 1, 0)
    made = Image.new("RGB", (max(width, 1), max((part.height for part in parts), default=0)), PAPER)
    left = 0
    for part in parts:
        made.paste(part, (left, 0))
        left += part.width + gap
    return made


def framed(part: Image.Image, margin: int, least: int = 0) -> Image.Image:
    """The part with room around it, `least` pixels wide at least."""
    made = Image.new("RGB", (max(part.width, least) + 2 * margin, part.height + 2 * margin), PAPER)
    made.paste(part, (margin, margin))
    return made
