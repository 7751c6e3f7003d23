"""What a reader of many readings can do: filter, jump, walk by keys.

Invariant: without a script there are no filters and no keys, but all readings and the list of contents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.markup import Markup, element, void
from radcap.report.names import counted, shortened

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from radcap.reading.page.entries import Entry

__all__ = ["KEYS", "contents", "filters"]

KEYS = (
    ("J", "next reading"),
    ("K", "previous reading"),
    ("Tab, Enter", "next word or concept, and its map"),
    ("Escape", "take the maps away"),
    ("/", "filter by words"),
    ("?", "this help"),
)
_LETTERS = 70


def filters(modalities: Counter[str]) -> Markup:
    """By words, by modality, and those with findings alone."""
    words = void(
        "input", type="search", id="words", placeholder="concept, caption or file", autocomplete="off"
    )
    every = element("option", f"all ({modalities.total():,})", value="")
    some = [element("option", f"{name} ({n:,})", value=name) for name, n in modalities.most_common()]
    return element(
        "div",
        element("label", element("span", "Filter"), words),
        element("label", element("span", "Modality"), element("select", every, *some, id="modality")),
        element("label", void("input", type="checkbox", id="findings"), "with findings"),
        element("output", counted(modalities.total(), "reading"), id="left", for_="words modality findings"),
        element(
            "button", "Keys", type="button", data_help="open", title="Help (key ?)", aria_haspopup="dialog"
        ),
        class_="filters scripted",
        role="search",
    )


def contents(entries: Sequence[Entry]) -> Markup:
    """Links to the readings; nothing for a single one."""
    if len(entries) < 2:  # noqa: PLR2004
        return Markup("")
    rows = [element("li", _link(one), " ", _told(one), value=one.number) for one in entries]
    return element(
        "details",
        element("summary", "Contents"),
        element("nav", element("ol", *rows), aria_label="Readings"),
        class_="contents",
    )


def _link(one: Entry) -> Markup:
    return element("a", shortened(one.image, 40), href=f"#reading-{one.number}")


def _told(one: Entry) -> Markup:
    return element("span", ". ".join(filter(None, [one.modality, shortened(one.caption, _LETTERS)])))
