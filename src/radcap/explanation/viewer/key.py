"""How to read the page: the colour scale, the lines, the boxes.

Invariant: the bars are drawn from the same table as the maps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.explanation.pictures.colours import AGAINST, FOR, TAGS, ink_on
from radcap.report.markup import Markup, element

if TYPE_CHECKING:
    from radcap.explanation.pictures.colours import Colour, Scale

__all__ = ["colour_style", "reading_key"]


def reading_key() -> Markup:
    """The scales with their ends named."""
    return element(
        "p",
        "Speaks for: low ",
        element("span", class_="ramp for"),
        " high. Against: low ",
        element("span", class_="ramp against"),
        " high. Lines: 50 % and 80 % of the highest relevance. Boxes: the share of the relevance inside.",
        class_="legend",
    )


def colour_style() -> str:
    """The colours of tags and scales as CSS."""
    tags = [
        f".tag-{name} {{ --tag: {_css(colour)}; --tag-ink: {_css(ink_on(colour))}; }}"
        for name, colour in zip("abcdefgh", TAGS, strict=True)
    ]
    return "\n".join([*tags, _ramp("for", FOR), _ramp("against", AGAINST), ""])


def _ramp(name: str, scale: Scale) -> str:
    stops = ", ".join(_css((int(r), int(g), int(b))) for r, g, b in scale(np.linspace(0, 1, 9)))
    return f".ramp.{name} {{ background: linear-gradient(to right, {stops}); }}"


def _css(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
