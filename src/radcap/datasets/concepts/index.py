"""The list of all concepts of a dataset: how many images each has, and of what kind it is.

Invariant: a list that is cut says so; whatever the page tells of in detail stands in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.concepts import words
from radcap.datasets.page.facets import Facet, facet_inputs
from radcap.datasets.statistics.count_tables import percent
from radcap.report.html import scrolling
from radcap.report.markup import Markup, element, void
from radcap.report.names import shortened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from radcap.core import Cui
    from radcap.datasets.concepts.anchors import Anchors
    from radcap.datasets.concepts.labelling import Labelling

__all__ = ["MOST_ROWS", "index_codes", "index_style", "index_table", "kinds_of"]

MOST_ROWS = 5_000
_COLUMNS = {"CUI": None, "name": "name", "type": "type", "images": "n", "share": "n", "": None}
_BAR = 100  # units of the longest bar
_LEAST = 0.8


def index_codes(labelling: Labelling, detailed: Collection[int], most: int = MOST_ROWS) -> tuple[int, ...]:
    """The most frequent concepts, and of the others those told in detail."""
    wanted = set(detailed)
    return (*labelling.order[:most], *(code for code in labelling.order[most:] if code in wanted))


def kinds_of(labelling: Labelling, codes: Iterable[int]) -> tuple[str, ...]:
    """The kind of each concept."""
    cuis = (labelling.labels.cuis[code] for code in codes)
    return tuple(words.kind(labelling.vocabulary.types(cui)) for cui in cuis)


def index_style(facet: Facet) -> str:
    """The rules that hide the rows which a choice leaves out; `facets` has the same for lists."""
    return "".join(
        f".explore:has(#{key}:checked) .index tbody tr:not(.{key}) {{ display: none; }}\n"
        for key in _keys(facet).values()
    )


def _keys(facet: Facet) -> dict[str, str]:
    """The id of each choice, as `facet_inputs` numbers them."""
    return {option: f"f0-{place}" for place, option in enumerate(facet.options)}


def index_table(
    labelling: Labelling, codes: Sequence[int], facet: Facet, anchors: Anchors, sections: Collection[Cui]
) -> Markup:
    """The list with its filter; a concept without a section has its anchor here."""
    head = [element("th", name, scope="col", class_=kind) for name, kind in _COLUMNS.items()]
    most, keys = int(labelling.frequencies.max()), _keys(facet)
    rows = [
        _row(
            labelling,
            code,
            most,
            anchors,
            in_detail=labelling.labels.cuis[code] in sections,
            kind=keys[kind],
        )
        for code, kind in zip(codes, facet.values, strict=True)
    ]
    table = element("table", element("thead", element("tr", *head)), element("tbody", *rows))
    choices = [element("div", facet_inputs((facet,)), class_="facets")] if len(facet.options) > 1 else []
    return element(
        "div", *choices, element("div", scrolling("All concepts", table), class_="index"), class_="explore"
    )


def _row(
    labelling: Labelling, code: int, most: int, anchors: Anchors, *, in_detail: bool, kind: str
) -> Markup:
    cui, images = labelling.labels.cuis[code], int(labelling.frequencies[code])
    code_told = element("code", shortened(cui, words.ROOM))
    return element(
        "tr",
        element("th", anchors.to(cui, code_told) if in_detail else code_told, scope="row"),
        element("td", words.or_nothing(shortened(labelling.name(cui), words.ROOM)), class_="name"),
        element("td", words.types(labelling.vocabulary.types(cui)), class_="type"),
        element("td", f"{images:,}", class_="n"),
        element("td", percent(images, labelling.labels.images), class_="n"),
        element("td", _bar(images, most)),
        id=None if in_detail else anchors.key(cui),
        class_=kind,
    )


def _bar(images: int, most: int) -> Markup:
    length = max(images / most * _BAR, _LEAST)
    bar = void("rect", width=length, height=10, class_="bar")
    return element(
        "svg", bar, class_="share", viewBox=f"0 0 {_BAR} 10", preserveAspectRatio="none", aria_hidden="true"
    )
