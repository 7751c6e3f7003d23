"""One picture for one explained image, to be read in ten seconds.

Invariant: the raw image is always beside the evidence; where no statement has a map the figure says so in
words; whatever does not fit is counted, never dropped in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from radcap.explanation.pictures.caption_block import caption_block
from radcap.explanation.pictures.colours import INK, QUIET, TAGS, WARNING
from radcap.explanation.pictures.key import key
from radcap.explanation.pictures.layout import below, beside, framed
from radcap.explanation.pictures.lettering import drawable, text_block
from radcap.explanation.pictures.panel import LEAST, panel, panel_size, raw_panel
from radcap.explanation.pictures.sentences import DISCLAIMER, NOTHING, warnings, without_map
from radcap.explanation.pictures.titles import titles
from radcap.explanation.values import Kind
from radcap.report.names import counted

if TYPE_CHECKING:
    from radcap.explanation.pictures.colours import Colour
    from radcap.explanation.values import Evidence, Explanation

__all__ = ["figure"]

_MARGIN = 28
_GAP = 18
_SIZE = 16
_ONE_ROW = 4  # panels; more take two rows beside a larger raw image
_SIDES = {0: 480, 1: 480, 2: 440, 3: 380, 4: 340}
_SIDE = 290  # of a panel where there are two rows
_LEAST = 760  # pixels of width for the caption
_RATIONALE = 6  # lines
_REASONS = 6


def figure(explanation: Explanation) -> Image.Image:
    """The figure as a picture."""
    shown = explanation.shown[: len(TAGS)]
    body = _body(explanation, shown)
    width = max(body.width, _LEAST)
    top = below([_warnings(explanation, width), _caption(explanation, shown, width)], 10)
    parts = [top, body, _below(explanation, width), _foot(explanation, width)]
    return framed(below(parts, _GAP), _MARGIN, width)


def _warnings(explanation: Explanation, width: int) -> Image.Image:
    """What nobody may overlook, on top."""
    return below([text_block(text, 20, width, WARNING) for text in warnings(explanation)], 4)


def _caption(explanation: Explanation, shown: tuple[Evidence, ...], width: int) -> Image.Image:
    drawn = caption_block(explanation.caption, shown, width)
    if not explanation.caption.strip():
        return text_block("No caption.", 22, width, QUIET)
    lost = drawable(explanation.caption).count("?") > explanation.caption.count("?")
    told = "Letters drawn as ? are not in the font of this figure; the viewer shows them." if lost else ""
    return below([drawn, text_block(told, _SIZE, width, QUIET)], 4)


def _body(explanation: Explanation, shown: tuple[Evidence, ...]) -> Image.Image:
    two_rows = len(shown) > _ONE_ROW
    side = _SIDE if two_rows else _SIDES[len(shown)]
    picture = explanation.picture
    width = max(panel_size(picture.shape[1], picture.shape[0], side)[0], LEAST)
    first, *others = titles(shown, width)
    numbered = enumerate(zip(shown, others, strict=True), 1)
    panels = [panel(picture, one, number, side, title) for number, (one, title) in numbered]
    raw = raw_panel(picture, 2 * side if two_rows else side, first)
    return beside([raw, _rows(panels) if panels else _nothing(side)], _GAP)


def _rows(panels: list[Image.Image]) -> Image.Image:
    columns = len(panels) if len(panels) <= _ONE_ROW else (len(panels) + 1) // 2
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    return below([beside(row, _GAP) for row in rows], _GAP)


def _nothing(side: int) -> Image.Image:
    words = "There is no heat map to show. What each statement rests on is said below in words."
    return below([text_block(NOTHING, 24, side, WARNING), text_block(words, _SIZE, side, QUIET)], 12)


def _below(explanation: Explanation, width: int) -> Image.Image:
    """The key on the left, words on the right; one under the other where it is narrow."""
    half = (width - 2 * _GAP) // 2
    words = [text_block(text, _SIZE, half, colour, most) for text, colour, most in _words(explanation)]
    return beside([key(explanation, half), below(words, 7)], 2 * _GAP)


def _words(explanation: Explanation) -> list[tuple[str, Colour, int]]:
    """Text, colour and the most lines of what is said in words."""
    reasons = without_map(explanation.evidence)
    said = [(f"Without a map: {one}", INK, 3) for one in reasons[:_REASONS]]
    return [
        *[(text, QUIET, 2) for text in _left_out(explanation, len(reasons) - _REASONS)],
        *said,
        *([(f"Why: {explanation.rationale}", INK, _RATIONALE)] if explanation.rationale.strip() else []),
        *[(note, QUIET, 3) for note in explanation.notes],
    ]


def _left_out(explanation: Explanation, reasons: int) -> list[str]:
    """What only the viewer has."""
    more = len(explanation.shown) - len(TAGS)
    words = sum(one.kind is Kind.WORD and one.map is not None for one in explanation.evidence)
    told = [
        (more, f"and {more} more in the viewer"),
        (words, f"In the viewer: maps of {counted(words, 'single word')}."),
        (reasons, f"In the viewer: {counted(reasons, 'more reason')} for missing maps."),
    ]
    return [text for count, text in told if count > 0]


def _foot(explanation: Explanation, width: int) -> Image.Image:
    source = f"Image: {explanation.image}. {explanation.attribution}"
    return below([text_block(source, 14, width, QUIET, 2), text_block(f"{DISCLAIMER}.", _SIZE, width)], 6)
