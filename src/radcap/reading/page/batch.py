"""A batch of readings as one HTML file: to scroll, to filter, to walk through by keys, to print.

Invariant: nothing is fetched; the statement that this is research software stands once, at the top. Cards out
of sight are neither laid out nor decoded, so that a hundred scroll as one does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.reading.page.card import CARD_SCRIPT, CARD_STYLE, page_file
from radcap.reading.page.controls import KEYS, contents, filters
from radcap.reading.page.entries import entry_of
from radcap.reading.page.unread import unread_list
from radcap.reading.values import RESEARCH_ONLY, Unread
from radcap.report.html import page
from radcap.report.key_help import help_dialog, help_style
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.reading.page.entries import Entry
    from radcap.reading.values import Reading

__all__ = ["Around", "batch_page", "readings_page"]


@dataclass(frozen=True, slots=True)
class Around:
    """The files that a page links to, beside it; an empty name is no link."""

    index: str = ""
    before: str = ""
    after: str = ""


def readings_page(
    title: str, readings: Iterable[Reading | Unread], *, first: int = 1, around: Around | None = None
) -> str:
    """A page of readings, numbered from `first`. A hundred are a good size."""
    entries = [entry_of(one, number) for number, one in enumerate(readings, first)]
    return batch_page(title, entries, around)


def batch_page(title: str, entries: Sequence[Entry], around: Around | None = None) -> str:
    """A page of entries."""
    read = [one for one in entries if one.card]
    links = _links(around or Around())
    return page(
        title,
        joined([element("p", RESEARCH_ONLY, class_="research"), _summary(entries, read), links]),
        *([filters(Counter(one.modality for one in read)), contents(read)] if read else []),
        *(one.card for one in read),
        element("p", "No reading is left by these filters.", class_="none", hidden="hidden"),
        unread_list([Unread(one.image, one.why) for one in entries if not one.card]),
        links,
        help_dialog(KEYS),
        more_style=CARD_STYLE + page_file("batch.css") + help_style(),
        script=CARD_SCRIPT + page_file("batch.js"),
    )


def _summary(entries: Sequence[Entry], read: Sequence[Entry]) -> Markup:
    if not entries:
        return element("p", "There is no image to show.", class_="summary")
    left = len(entries) - len(read)
    numbers = f"Images {entries[0].number:,} to {entries[-1].number:,}: " if len(entries) > 1 else ""
    unread = f", {left:,} not read" if left else ""
    return element("p", f"{numbers}{counted(len(read))} read{unread}.", class_="summary")


def _links(around: Around) -> Markup:
    named = (
        ("\u25c0 Previous page", around.before, "prev"),
        ("Index", around.index, "up"),
        ("Next page \u25b6", around.after, "next"),
    )
    items = [element("li", element("a", text, href=file, rel=rel)) for text, file, rel in named if file]
    if not items:
        return Markup("")
    return element("nav", element("ul", *items), class_="around", aria_label="Pages")
