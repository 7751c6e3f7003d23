"""The index of a run of many readings: how far it is, what it found, the pages, and what was not read.

Invariant: it tells of an unfinished run that it is unfinished, and how it goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.reading.page.card import page_file
from radcap.reading.page.census import BATCH
from radcap.reading.page.unread import unread_list
from radcap.reading.values import RESEARCH_ONLY
from radcap.report.html import facts_list, page, section, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted, several
from radcap.report.tables import Table

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from radcap.reading.page.census import Census, Counted

__all__ = ["index_page"]

_FINDINGS = 30
_UNREAD = 500


def index_page(
    title: str, census: Census, total: int, files: Sequence[str], facts: Sequence[tuple[str, str]] = ()
) -> str:
    """The index; `files` are the pages that are written, beside it, an empty name for one that is gone."""
    rows = [
        _page(file, number, one) for number, (file, one) in enumerate(zip(files, census.pages, strict=False))
    ]
    return page(
        title,
        joined(
            [element("p", RESEARCH_ONLY, class_="research"), *_progress(census, total), facts_list(facts)]
        ),
        *([section("pages", "Pages", element("ol", *rows, class_="pages"))] if rows else []),
        *_counts("modality", "Modalities", census.modalities, census.read, None),
        *_counts("finding", "Findings", census.findings, census.read, _FINDINGS),
        unread_list(census.unread, most=_UNREAD, whole="readings.jsonl"),
        more_style=page_file("index.css"),
    )


def _progress(census: Census, total: int) -> list[Markup]:
    left = f", {len(census.unread):,} not read" if census.unread else ""
    told = element("p", f"{counted(census.read)} read{left}.", class_="summary")
    if census.done == total:
        return [told]
    open_ = f"Unfinished: {census.done:,} of {counted(total)} are done. The same command goes on from there."
    return [told, element("p", open_, class_="open")]


def _page(file: str, number: int, one: Counted) -> Markup:
    first = number * BATCH + 1
    last = number * BATCH + one.read + one.unread
    name = f"Images {first:,} to {last:,}" if last > first else f"Image {first:,}"
    kinds = [f"{modality} {n:,}" for modality, n in one.modalities.most_common()]
    kinds += [f"not read {one.unread:,}"] if one.unread else []
    link = element("a", name, href=file) if file else element("b", f"{name} (the page is gone)")
    return element("li", link, " ", element("span", several(kinds, 5)))


def _counts(name: str, heading: str, found: Counter[str], read: int, most: int | None) -> list[Markup]:
    """How many images have each, the commonest first."""
    if not found:
        return []
    rows = [(one, f"{n:,}", f"{100 * n / read:.0f} %") for one, n in found.most_common(most)]
    title = f"The {most} commonest of {len(found):,}" if most and len(found) > most else "By how many images"
    table = Table((name, "images", "share"), tuple(rows), title, right=frozenset({"images", "share"}))
    return [section(f"{name}-counts", heading, table_box(table))]
