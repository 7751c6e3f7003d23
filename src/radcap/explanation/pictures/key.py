"""How to read a figure: what colours, lines and boxes mean, by which method, from which model.

Invariant: the bar shows the scale that the maps are drawn with; that of what speaks against a statement is
there only if a map has such values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from radcap.explanation.pictures.colours import AGAINST, FOR, INK, QUIET
from radcap.explanation.pictures.layout import below, beside
from radcap.explanation.pictures.lettering import text_block, text_width
from radcap.explanation.pictures.sentences import origin_sentence, sanity_sentence, warnings

if TYPE_CHECKING:
    from radcap.explanation.pictures.colours import Colour, Scale
    from radcap.explanation.values import Explanation

__all__ = ["key", "speaks_against"]

_SIZE = 16
_LINES = "Lines: 50 % and 80 % of the highest relevance. Boxes: the share of the relevance that lies inside."
_SEEN = 0.05  # of the strongest value: less cannot be seen


def key(explanation: Explanation, width: int) -> Image.Image:
    """The key as a block of a width."""
    blocks = [text_block(text, _SIZE, width, colour) for text, colour in _claims(explanation)]
    return below([*(_scales(explanation, width) if explanation.shown else []), *blocks], 7)


def _scales(explanation: Explanation, width: int) -> list[Image.Image]:
    bars = [_bar(FOR, "relevance for:")]
    if speaks_against(explanation):
        bars.append(_bar(AGAINST, "against:"))
    row = beside(bars, 24)
    return [row if row.width <= width else below(bars, 6), text_block(_LINES, _SIZE, width, QUIET)]


def speaks_against(explanation: Explanation) -> bool:
    """Whether a map has values below zero that can be seen."""
    maps = [one.map for one in explanation.shown if one.map is not None]
    return any(float(-one.min()) > _SEEN * float(np.abs(one).max()) for one in maps)


def _bar(scale: Scale, name: str) -> Image.Image:
    ramp = np.tile(scale(np.linspace(0, 1, 150)), (_SIZE, 1, 1))
    parts = [_word(name), _word("low"), Image.fromarray(ramp), _word("high")]
    return beside(parts, 7)


def _word(text: str) -> Image.Image:
    return text_block(text, _SIZE, text_width(text, _SIZE) + 1)


def _claims(explanation: Explanation) -> list[tuple[str, Colour]]:
    """What stands among the warnings of the figure is not said twice."""
    claims = [(f"{origin_sentence(explanation)}.", INK), (sanity_sentence(explanation.sanity), QUIET)]
    told = warnings(explanation)
    return [(f"Method: {explanation.method}", INK), *(one for one in claims if one[0] not in told)]
