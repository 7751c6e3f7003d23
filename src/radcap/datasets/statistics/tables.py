"""Statistics of a dataset as tables for a terminal, a paper or a page.

Invariant: a table that would have no rows is left out; means have two digits, counts all of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.caption_parts import source_titles
from radcap.datasets.statistics.count_tables import concept_table, count_table, percent
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.modalities import modality_title
from radcap.datasets.statistics.pixel_tables import pixel_tables
from radcap.report import Table
from radcap.vocabulary import semantic_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from radcap.datasets.statistics.concepts import ConceptStatistics
    from radcap.datasets.statistics.counting import Distribution
    from radcap.datasets.statistics.figures import Statistics

__all__ = [
    "licence_year_table",
    "split_table",
    "spread_table",
    "statistic_tables",
    "term_table",
    "type_table",
]


def statistic_tables(stats: Statistics) -> tuple[Table, ...]:
    """Everything that was counted, in the order in which a paper tells it."""
    tables = [
        split_table(stats),
        spread_table(stats),
        *_concept_tables(stats),
        *_label_tables(stats),
        *_origin_tables(stats),
        *(pixel_tables(stats.pixels) if stats.pixels else ()),
    ]
    return tuple(table for table in tables if table.rows)


def split_table(stats: Statistics) -> Table:
    """One row for each split, and one for all."""
    titles = source_titles("captions", stats.captions)
    words = source_titles("words", stats.captions)
    captions = [column for source in titles for column in (titles[source], words[source])]
    columns = ("images", "groups", *captions, "CUIs", "per image", "unseen")
    rows = [
        (
            one.name,
            f"{one.images:,}",
            f"{one.groups:,}",
            *_caption_cells(
                {source: (found.n, found.words) for source, found in one.captions.items()}, titles
            ),
            f"{one.unique:,}",
            f"{one.concepts_per_image:.2f}",
            f"{one.unseen:,}",
        )
        for one in stats.splits
    ]
    total = (
        "all",
        f"{stats.images:,}",
        f"{stats.groups:,}",
        *_caption_cells(
            {source: (found.n, found.words.mean) for source, found in stats.captions.items()}, titles
        ),
        f"{stats.concepts.unique:,}",
        f"{stats.concepts.per_image.mean:.2f}",
        "",
    )
    title = "Splits; unseen are concepts that train lacks"
    return Table(("split", *columns), (*rows, total), title, right=frozenset(columns))


def _caption_cells(found: Mapping[str, tuple[int, float]], sources: Iterable[str]) -> Iterator[str]:
    """How many captions of each source, and how long they are."""
    for source in sources:
        n, words = found.get(source, (0, 0.0))
        yield f"{n:,}"
        yield f"{words:.2f}"


def spread_table(stats: Statistics) -> Table:
    """Mean, median and ends of everything that is counted per caption, group or image."""
    parts = {
        **_caption_spreads(stats),
        "images per group": stats.images_per_group,
        "concepts per image": stats.concepts.per_image,
        "automatic concepts per image": stats.concepts.automatic_per_image,
        "manual concepts per image": stats.concepts.manual_per_image,
        "images per concept": stats.concepts.frequency,
    }
    columns = ("n", "mean", "median", "max", "min")
    rows = tuple((name, *_spread(one)) for name, one in parts.items() if one.n)
    return Table(("statistic", *columns), rows, "Spread", right=frozenset(columns))


def _caption_spreads(stats: Statistics) -> dict[str, Distribution]:
    """Every source by itself."""
    one, many = (source_titles(noun, stats.captions) for noun in ("caption", "captions"))
    parts: dict[str, Distribution] = {}
    for source, found in stats.captions.items():
        parts[f"words per {one[source]}"] = found.words
        parts |= _apart(f"words per {one[source]}, language {{}}", found.by_language)
        parts[f"{many[source]} per group"] = found.per_group
    return parts


def _apart(name: str, parts: Mapping[str, Distribution]) -> dict[str, Distribution]:
    """A row for each part; a single part is the whole and needs none."""
    return {name.format(key): one for key, one in parts.items()} if len(parts) > 1 else {}


def _spread(one: Distribution) -> tuple[str, ...]:
    return (f"{one.n:,}", f"{one.mean:.2f}", f"{one.median:g}", f"{one.maximum:,}", f"{one.minimum:,}")


def _concept_tables(stats: Statistics) -> list[Table]:
    concepts, images = stats.concepts, stats.images
    sizes = {one.name: one.n for one in stats.modalities}
    return [
        concept_table(concepts.top, "Most frequent concepts", images),
        concept_table(concepts.top_without_modalities, "Without modality labels", images),
        concept_table(concepts.top_without_labels, "Without modality, region and direction", images),
        *(
            concept_table(top, f"Most frequent concepts, {modality_title(name)}", sizes[name])
            for name, top in concepts.top_by_modality.items()
        ),
        type_table(concepts),
    ]


def type_table(concepts: ConceptStatistics) -> Table:
    """Semantic types by name and number, and whose they are."""
    known = semantic_types()
    named = [
        Count(f"{one.name} {known[one.name].name}" if one.name in known else one.name, one.n)
        for one in concepts.semantic_types
    ]
    title = f"Semantic types, those of {concepts.types_of}" if concepts.types_of else "Semantic types"
    return count_table(named, "type", title, concepts.per_image.total, "mentions")


def _label_tables(stats: Statistics) -> list[Table]:
    labels, images = stats.labels, stats.images
    return [
        concept_table(labels.modalities, "Modality, by manual concept", images),
        count_table(labels.modality_column, "modality", "Modality, by column", images),
        concept_table(labels.regions, "Body region; share of X-rays", labels.xrays),
        concept_table(labels.directions, "Direction; share of X-rays", labels.xrays),
    ]


def _origin_tables(stats: Statistics) -> list[Table]:
    published, images = stats.publication, stats.images
    return [
        count_table(stats.licences.families, "licence", "Licences", images),
        term_table(stats),
        licence_year_table(stats),
        count_table(stats.sources, "source", "Sources", images),
        count_table(published.years, "year", "Year of publication", stats.groups, "articles"),
        count_table(published.types, "type", "Publication type", stats.groups, "articles"),
        count_table(published.journals, "journal", "Journal", stats.groups, "articles"),
    ]


def term_table(stats: Statistics) -> Table:
    """Images under each term of a licence."""
    found = stats.licences
    terms = {
        "NC: not commercial": found.non_commercial,
        "SA: share alike": found.share_alike,
        "ND: no derivatives": found.no_derivatives,
        "not stated": found.not_stated,
    }
    rows = tuple((name, f"{n:,}", percent(n, stats.images)) for name, n in terms.items())
    return Table(("term", "images", "share"), rows, "Terms", right=frozenset({"images", "share"}))


def licence_year_table(stats: Statistics) -> Table:
    """The share of SA and ND terms by year of publication."""
    columns = ("images", "SA", "ND")
    rows = tuple(
        (
            one.year,
            f"{one.images:,}",
            percent(one.share_alike, one.images),
            percent(one.no_derivatives, one.images),
        )
        for one in stats.licences.by_year
    )
    return Table(("year", *columns), rows, "SA and ND terms by year", right=frozenset(columns))
