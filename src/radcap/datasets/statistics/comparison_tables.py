"""A comparison of datasets as tables, one column for each dataset.

Invariant: a table shows the values it was given; only shifts are written with a sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from radcap.datasets.caption_parts import source_titles
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from radcap.datasets.statistics.comparison_column import DatasetColumn

__all__ = ["comparison_tables", "modality_table"]

_Facts: TypeAlias = "Mapping[str, Callable[[DatasetColumn], str]]"

_COUNTS: _Facts = {
    "images": lambda one: f"{one.images:,}",
    "groups": lambda one: f"{one.groups:,}",
}
_CONCEPTS: _Facts = {
    "concept mentions": lambda one: f"{one.concepts:,}",
    "concepts per image": lambda one: f"{one.concepts_per_image:.2f}",
    "unique concepts": lambda one: f"{one.unique:,}",
}
_AGAINST: _Facts = {
    "shared concepts": lambda one: f"{one.shared:,}",
    "overlap of concepts": lambda one: f"{100 * one.overlap:.1f} %",
    "new concepts": lambda one: f"{one.new:,}",
    "lost concepts": lambda one: f"{one.lost:,}",
    "modality shift, total variation": lambda one: f"{one.total_variation:.4f}",
    "modality shift, Jensen-Shannon": lambda one: f"{one.jensen_shannon:.4f}",
}


def comparison_tables(columns: Sequence[DatasetColumn]) -> tuple[Table, ...]:
    """Sizes, what differs from the first, modalities, licences, and the concepts that came and went."""
    first = columns[0].name
    tables = [
        _facts({**_COUNTS, **_captions(columns), **_CONCEPTS}, columns, "Sizes"),
        _facts(_AGAINST, columns[1:], f"Against {first}"),
        modality_table(columns),
        _shares("licence", "Licences", [one.licences for one in columns], columns),
        *(_concepts(one, first) for one in columns[1:]),
    ]
    return tuple(table for table in tables if table.rows)


def _captions(columns: Sequence[DatasetColumn]) -> _Facts:
    """How many captions, and how long, each source by itself."""
    sources = [source for one in columns for source in one.captions]
    facts: dict[str, Callable[[DatasetColumn], str]] = {}
    for source, name in source_titles("caption", sources).items():
        facts[f"{name}s"] = lambda one, of=source: f"{one.captions[of].n:,}" if of in one.captions else "0"
        facts[f"words per {name}"] = lambda one, of=source: (
            f"{one.captions[of].words:.2f}" if of in one.captions else "0.00"
        )
    return facts


def _facts(facts: _Facts, columns: Sequence[DatasetColumn], title: str) -> Table:
    rows = tuple((name, *(told(one) for one in columns)) for name, told in facts.items())
    names = tuple(one.name for one in columns)
    return Table(("", *names), rows, title, right=frozenset(names))


def modality_table(columns: Sequence[DatasetColumn]) -> Table:
    """Shares, and behind those of later datasets the shift in percentage points."""
    keys = dict.fromkeys(key for one in columns for key in one.modality_shift)
    rows = [
        (
            key,
            f"{100 * columns[0].modalities.get(key, 0.0):.1f} %",
            *(_shifted(one, key) for one in columns[1:]),
        )
        for key in keys
    ]
    names = tuple(one.name for one in columns)
    title = f"Modalities, and percentage points more or less than {names[0]}"
    return Table(("modality", *names), tuple(rows), title, right=frozenset(names))


def _shifted(one: DatasetColumn, key: str) -> str:
    shift = round(one.modality_shift.get(key, 0.0), 1) + 0.0  # no minus before a zero
    return f"{100 * one.modalities.get(key, 0.0):.1f} % ({shift:+.1f})"


def _shares(
    kind: str, title: str, shares: Sequence[Mapping[str, float]], columns: Sequence[DatasetColumn]
) -> Table:
    keys = dict.fromkeys(key for one in shares for key in one)
    rows = tuple((key, *(f"{100 * one.get(key, 0.0):.1f} %" for one in shares)) for key in keys)
    names = tuple(one.name for one in columns)
    return Table((kind, *names), rows, title, right=frozenset(names))


def _concepts(one: DatasetColumn, first: str) -> Table:
    """The most frequent concepts that are new in one dataset, and those that it lost."""
    rows = [
        *(("new", found.cui, found.name, f"{found.images:,}") for found in one.top_new),
        *(("lost", found.cui, found.name, f"{found.images:,}") for found in one.top_lost),
    ]
    title = f"Concepts of {one.name} that are new or lost against {first}, the most frequent ones"
    return Table(("", "CUI", "name", "images"), tuple(rows), title, right=frozenset({"images"}))
