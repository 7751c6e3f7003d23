"""Images of a dataset as cards: a small picture, what is known of it, whose it is.

Invariant: every picture has an alternative text, and every card names licence and author as far as known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.datasets.dataset import SPLITS
from radcap.datasets.page.facets import Facet, facet_classes, facet_inputs
from radcap.datasets.page.pictures import picture
from radcap.datasets.statistics.counting import UNKNOWN
from radcap.datasets.statistics.licence_terms import licence_of
from radcap.datasets.statistics.modalities import modality_title
from radcap.report.markup import Markup, element, joined, void
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui
    from radcap.datasets.page.outliers import End
    from radcap.datasets.records import Record

__all__ = ["facets_of", "gallery", "outlier_row"]

_WORDS = 32  # of a caption on a card
_CHIPS = 12


def facets_of(records: Sequence[Record], modalities: Sequence[str]) -> tuple[Facet, ...]:
    """By what cards can be chosen; a facet of one value is none."""
    facets = (
        Facet("Modality", tuple(map(modality_title, modalities))),
        Facet("Split", tuple(one.split or UNKNOWN for one in records), SPLITS),
        Facet("Caption", tuple(map(_sources, records))),
        Facet("Licence", tuple(str(licence_of(one.licence)) for one in records)),
    )
    return tuple(one for one in facets if len(one.options) > 1)


def _sources(record: Record) -> str:
    """Who wrote the captions of an image."""
    return " and ".join(dict.fromkeys(one.source.value for one in record.captions)) or "none"


def gallery(
    records: Sequence[Record], modalities: Sequence[str], facets: Sequence[Facet], names: Mapping[Cui, str]
) -> Markup:
    """The cards with their filters; how many are shown is counted by the style."""
    cards = [
        element(
            "li",
            *_card(record, modality_title(modality), names),
            class_=f"item {facet_classes(facets, place)}".strip(),
        )
        for place, (record, modality) in enumerate(zip(records, modalities, strict=True))
    ]
    return element(
        "div",
        element("div", facet_inputs(facets), class_="facets"),
        element("ul", *cards, class_="items"),
        element("p", f" of {counted(len(cards))} shown", class_="tally"),
        class_="explore",
    )


def _card(record: Record, modality: str, names: Mapping[Cui, str]) -> tuple[Markup, ...]:
    body = element(
        "div",
        element("p", element("b", modality), f" \u00b7 {record.split}", class_="kind"),
        element("p", _id(record), class_="id"),
        _caption(record),
        _chips(record, names),
        _credit(record),
        class_="about",
    )
    return picture(record, modality), body


def _id(record: Record) -> Markup:
    """The id, which may break behind an underscore."""
    return element("code", joined(re.split(r"(?<=_)", record.id), void("wbr")))


def _caption(record: Record) -> Markup:
    words = record.caption.split()
    if not words:
        return element("p", element("em", "no caption"), class_="text")
    more = f" \u2026 {counted(len(words) - _WORDS, 'more word')}" if len(words) > _WORDS else ""
    source = record.captions[0].source.value
    said = [element("small", source)] if source != "original" else []
    return element("p", " ".join(words[:_WORDS]), element("em", more), " ", *said, class_="text")


def _chips(record: Record, names: Mapping[Cui, str]) -> Markup:
    """Concepts by name, the manual ones marked by a sign."""
    order = sorted(dict.fromkeys(record.concepts), key=lambda cui: cui not in record.manual)
    chips = [_chip(cui, names, manual=cui in record.manual) for cui in order[:_CHIPS]]
    more = [element("li", f"{len(order) - _CHIPS:,} more")] if len(order) > _CHIPS else []
    return (
        element("ul", *chips, *more, class_="chips") if chips else element("p", element("em", "no concept"))
    )


def _chip(cui: Cui, names: Mapping[Cui, str], *, manual: bool) -> Markup:
    name = names.get(cui) or cui
    if not manual:
        return element("li", name, title=cui)
    sign = element("span", "\u25cf", aria_hidden="true")
    return element(
        "li", sign, element("span", "manual: ", class_="said"), name, title=f"{cui}, manual", class_="manual"
    )


def _credit(record: Record) -> Markup:
    return element(
        "p", element("b", record.licence or "licence not stated"), f" {record.attribution}", class_="credit"
    )


def outlier_row(end: End, records: Sequence[Record], modalities: Sequence[str]) -> Markup:
    """The images at one end of the dataset, each with the number that put it there."""
    items = [
        element(
            "li",
            picture(record, modality_title(modality)),
            element("b", told),
            element("span", modality_title(modality)),
            _id(record),
        )
        for record, modality, (_, told) in zip(records, modalities, end.images, strict=True)
    ]
    heading = element("h3", end.title, *([" ", element("small", end.unit)] if end.unit else []))
    return element("section", heading, element("ul", *items, class_="strip"), class_="end")
