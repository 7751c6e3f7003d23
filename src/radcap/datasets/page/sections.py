"""The parts of a dataset report that come from its numbers and its card.

Invariant: a part that has nothing to say is empty, and the page leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.caption_parts import source_titles
from radcap.datasets.page.charts import (
    bars_figure,
    spread_figure,
    tail_figure,
    years_figure,
)
from radcap.datasets.page.pixel_charts import intensity_figures, size_figures
from radcap.datasets.statistics.count_tables import concept_table, count_table, percent
from radcap.datasets.statistics.modalities import modality_title
from radcap.datasets.statistics.tables import (
    licence_year_table,
    split_table,
    spread_table,
    term_table,
    type_table,
)
from radcap.report.html import facts_list, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.cards.card import Card
    from radcap.datasets.statistics.concepts import ConceptCount
    from radcap.datasets.statistics.counting import Count
    from radcap.datasets.statistics.figures import Statistics
    from radcap.report import Table

__all__ = ["about", "captions", "concepts", "labels", "origin", "pixels", "splits"]

_CLINICAL = "Not for clinical use: nothing here may guide a diagnosis or a treatment."
_MOST_BARS = 12


def about(card: Card) -> Markup:
    """What the dataset says of itself, and what nobody may do with it."""
    facts = [
        ("Licence", card.licence),
        ("Version", card.version),
        ("Labels", card.labels),
        ("Intended use", card.intended_use),
        ("Not for", card.not_for),
        ("Home", card.homepage),
        ("Cite as", card.citation),
    ]
    limits = [element("li", one) for one in card.limitations]
    told = [
        element("p", card.description) if card.description else "",
        element("p", element("strong", _CLINICAL), class_="warning"),
        joined([element("h3", "Limitations"), element("ul", *limits)]) if limits else "",
    ]
    known = facts_list([fact for fact in facts if fact[1]])
    return element("div", element("div", *told), known, class_="what")


def splits(stats: Statistics, shift: Table | None) -> Markup:
    """The splits side by side, and how their modalities differ."""
    return element("div", table_box(split_table(stats)), table_box(shift) if shift else "", class_="beside")


def captions(stats: Statistics) -> Markup:
    """How long captions are, each source by itself."""
    drawn = [
        *(
            spread_figure(one.words, f"Words per {name} caption", "words", "caption")
            for name, one in stats.captions.items()
        ),
        spread_figure(
            stats.images_per_group, "Images per group", "images of one article or patient", "group"
        ),
    ]
    return joined([element("p", _captioned(stats)), _pair(*drawn), table_box(spread_table(stats))])


def _captioned(stats: Statistics) -> str:
    """How many images have a caption of each source."""
    said = [
        f"{stats.captions[source].captioned if source in stats.captions else 0:,} of {counted(stats.images)} "
        f"have {'an' if name.startswith('o') else 'a'} {name}."
        for source, name in source_titles("caption", stats.captions).items()
    ]
    return " ".join(said)


def concepts(stats: Statistics) -> Markup:
    """How many concepts, the tail, and the most frequent ones."""
    found = stats.concepts
    if not found.unique:
        return Markup("")
    sizes = {one.name: one.n for one in stats.modalities}
    tables = [
        concept_table(found.top, "All images", stats.images),
        concept_table(found.top_without_labels, "Without modality, region and direction", stats.images),
        *(
            concept_table(top, modality_title(name), sizes[name])
            for name, top in found.top_by_modality.items()
        ),
    ]
    charts = _pair(
        spread_figure(found.per_image, "Concepts per image", "concepts", "image"),
        tail_figure(found.frequency),
    )
    return joined([charts, element("h3", "Most frequent concepts"), _grid(tables), _boxed(type_table(found))])


def labels(stats: Statistics) -> Markup:
    """Modality, region and direction."""
    found = stats.labels
    lacking = (
        f"Of {counted(found.xrays)} with the concept plain X-ray, {found.xrays_without_region:,} have no "
        f"region and {found.xrays_without_direction:,} no direction."
    )
    xrays = joined(
        [
            _concept_bars(found.regions, found.xrays, "Body region of X-rays"),
            _concept_bars(found.directions, found.xrays, "Direction of X-rays"),
            element("p", lacking, class_="legend") if found.xrays else "",
        ]
    )
    return _pair(_count_bars(stats.modalities, stats.images, "Modality"), element("div", xrays))


def origin(stats: Statistics) -> Markup:
    """Licences, sources, and what is known of the articles."""
    published = stats.publication
    drawn = _pair(
        _count_bars(stats.licences.families, stats.images, "Licence"),
        _count_bars(stats.sources, stats.images, "Source"),
        years_figure(published.years),
        _count_bars(published.types, stats.groups, "Publication type"),
        _count_bars(published.journals, stats.groups, "Journal"),
    )
    tables = element("div", table_box(term_table(stats)), _boxed(licence_year_table(stats)), class_="beside")
    return joined([drawn, tables])


def pixels(stats: Statistics) -> Markup:
    """Sizes, intensities and formats; nothing where the images were not surveyed."""
    found = stats.pixels
    if found is None or not found.decoded:
        return Markup("")
    sizes = {one.name: one.n for one in stats.modalities}
    told = (
        f"{counted(found.decoded)} could be decoded: {percent(found.grey, found.decoded)} grey, "
        f"{percent(found.colour, found.decoded)} with colour, {found.bytes_total / 1e6:,.1f} MB in "
        f"{', '.join(f'{one.name} ({one.n:,})' for one in found.kinds)}."
    )
    refused = count_table(found.refused, "code", "Images that cannot be decoded", stats.images)
    how = (
        "The mean over images, smoothed over seven of 128 steps, each curve to its own height; pure black "
        "and pure white are cut where they tower."
    )
    return joined(
        [
            element("p", told),
            _pair(size_figures(found)),
            element("h3", "Intensities by modality"),
            intensity_figures(found.intensity_by_modality, sizes),
            element("h3", "Intensities by split"),
            intensity_figures(found.intensity_by_split, {one.name: one.images for one in stats.splits}),
            element("p", how, class_="legend"),
            _boxed(refused),
        ]
    )


def _count_bars(counts: Sequence[Count], whole: int, title: str) -> Markup:
    shown = [(modality_title(one.name), one.n) for one in counts[:_MOST_BARS]]
    rest = counts[_MOST_BARS:]
    more = [(counted(len(rest), "other"), sum(one.n for one in rest))] if rest else []
    return bars_figure([*shown, *more], whole, title)


def _concept_bars(counts: Sequence[ConceptCount], whole: int, title: str) -> Markup:
    return bars_figure([(one.name, one.images) for one in counts], whole, title)


def _pair(*figures: Markup) -> Markup:
    drawn = [one for one in figures if one]
    return element("div", *drawn, class_="pair") if drawn else Markup("")


def _grid(tables: Sequence[Table]) -> Markup:
    return element("div", *(_boxed(one) for one in tables), class_="tables")


def _boxed(table: Table) -> Markup:
    return table_box(table) if table.rows else Markup("")
