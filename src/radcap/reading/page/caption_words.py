"""The caption of a reading, its words with evidence as buttons.

Invariant: the words are those of the caption, letter by letter, in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.viewer.statements import Statement, parted
from radcap.reading.page.concept_rows import statement_button
from radcap.reading.page.whence import word_line
from radcap.report.markup import Markup, element, escaped

if TYPE_CHECKING:
    from radcap.reading.values import Reading

__all__ = ["caption_words"]


def caption_words(reading: Reading) -> Markup:
    """One paragraph."""
    if not reading.caption:
        return element("p", element("em", "No caption."), class_="caption")
    placed = [one for one in reading.evidence if one.place is not None]
    made = [Statement(one, str(number), None) for number, one in enumerate(placed)]
    pieces, _ = parted(reading.caption, made)
    return element("p", *(_piece(text, one) for text, one in pieces), class_="caption")


def _piece(text: str, one: Statement | None) -> Markup:
    if one is None:
        return escaped(text)
    return statement_button(escaped(text), one.evidence, word_line(one.evidence), "word")
