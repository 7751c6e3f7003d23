"""Readings as a notebook shows them.

Invariant: no script and no style sheet; every text is escaped, and every reading says what it is not for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import counted
from radcap.core.notebooks import html_facts, html_note, html_picture, html_table, html_together
from radcap.explanation.viewer.encoding import picture_address
from radcap.reading.telling import certainty, kind_of, percent
from radcap.reading.values import RESEARCH_ONLY, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.reading.values import Unread

__all__ = ["reading_html", "readings_html"]


def reading_html(reading: Reading) -> str:
    """The picture, the caption, the concepts with their probabilities, and the nearest cases."""
    height, width = reading.picture.shape[:2]
    rows = [
        (kind_of(one.role), one.name, one.cui, percent(one.p), certainty(one.p)) for one in reading.concepts
    ]
    columns = ("kind", "concept", "CUI", "probability", "")
    near = {one.image: f"{one.caption} {one.attribution}".strip() for one in reading.neighbours}
    return html_together(
        html_picture(picture_address(reading.picture), reading.caption or reading.image, width, height),
        html_facts(reading.image, {"caption": reading.caption, "of the image": reading.attribution}),
        html_table(columns, rows, len(rows), right=("probability",), noun="concept"),
        html_facts("Nearest cases", near) if near else "",
        html_note(RESEARCH_ONLY),
    )


def readings_html(results: Sequence[Reading | Unread]) -> str:
    """Several readings, a line each."""
    rows = [(one.image, *_told(one)) for one in results]
    columns = ("image", "modality", "concepts", "caption")
    title = counted(len(results), "image")
    table = html_table(columns, rows, len(rows), title=title, noun="image")
    return html_together(table, html_note(RESEARCH_ONLY))


def _told(one: Reading | Unread) -> tuple[str, str, str]:
    if not isinstance(one, Reading):
        return "", "", one.why
    named = ", ".join(f"{seen.name or seen.cui} {percent(seen.p)}" for seen in one.concepts)
    return "" if one.modality is None else one.modality.name, named, one.caption
