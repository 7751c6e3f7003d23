"""Concepts as tables for a terminal: many in one, or one in detail.

Invariant: a part that has nothing to say is left out; a name or type that nobody knows is a dash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core.counts import counted
from radcap.datasets.concepts import words
from radcap.datasets.concepts.mentions import Verdict
from radcap.datasets.statistics.count_tables import percent
from radcap.datasets.statistics.modalities import modality_title
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.concepts.companions import Companion
    from radcap.datasets.concepts.figures import ConceptFigures, DatasetConcepts, Named, Part

__all__ = ["concept_tables"]

_WITH = 3  # companions of a row
_MOST = 12  # names in a cell


def concept_tables(found: DatasetConcepts) -> tuple[Table, ...]:
    """A row for each concept; of one alone, everything."""
    tables = _detail(found.concepts[0], found) if len(found.concepts) == 1 else [_overview(found)]
    return tuple(table for table in tables if table.rows)


def _overview(found: DatasetConcepts) -> Table:
    columns = ("CUI", "name", "types", "images", "share", "associated with")
    rows = tuple(
        (
            one.cui,
            words.or_nothing(one.name),
            words.types(one.types),
            f"{one.images:,}",
            percent(one.images, found.images),
            _associated(one.beside.associated),
        )
        for one in found.concepts
    )
    title = f"{len(found.concepts):,} of {counted(found.unique, 'concept')} on {counted(found.images)}"
    return Table(columns, rows, title, right=frozenset({"images", "share"}))


def _associated(companions: Sequence[Companion]) -> str:
    told = [f"{words.title(one)} {words.lift(one)}" for one in companions[:_WITH]]
    return words.or_nothing("; ".join(told))


def _detail(one: ConceptFigures, found: DatasetConcepts) -> list[Table]:
    return [
        _facts(one, found),
        _parts(one.splits, "split", "By split"),
        _parts(one.modalities, "modality", "By modality"),
        _captions(one, found),
        _companions(one.beside.frequent, "Most often on the same image"),
        _companions(one.beside.associated, "More often on the same image than chance has it, surest first"),
    ]


def _facts(one: ConceptFigures, found: DatasetConcepts) -> Table:
    share = f"{percent(one.images, found.images)} (95 %: {words.interval(one)})"
    facts = {
        "CUI": one.cui,
        "name": words.or_nothing(one.name),
        "also called": words.listed(one.synonyms, _MOST),
        "types": words.types(one.types),
        "above": words.listed(map(_named, one.parents), _MOST),
        "below": words.listed(map(_named, one.children), _MOST),
        "images": f"{one.images:,} of {found.images:,}",
        "share": share,
        "rank": f"{one.rank:,} of {counted(found.unique, 'concept')}",
        "vocabulary": found.vocabulary,
    }
    return Table(("about", "value"), tuple(facts.items()))


def _named(one: Named) -> str:
    return f"{one.name} ({one.cui})" if one.name else one.cui


def _parts(parts: Sequence[Part], column: str, title: str) -> Table:
    rows = tuple(
        (modality_title(part.name), f"{part.images:,}", f"{part.of:,}", percent(part.images, part.of))
        for part in sorted(parts, key=lambda part: -part.images if column == "modality" else 0)
        if part.images or column == "split"
    )
    return Table((column, "images", "of", "share"), rows, title, right=frozenset({"images", "of", "share"}))


def _captions(one: ConceptFigures, found: DatasetConcepts) -> Table:
    """Label and caption side by side; nothing where no caption was read."""
    if one.captions is None:
        return Table(("image", "images"), ())
    title = f"In the captions of {counted(found.captioned)}"
    rows = tuple((verdict.value, f"{one.captions.of(verdict):,}") for verdict in Verdict)
    return Table(("image", "images"), rows, title, right=frozenset({"images"}))


def _companions(companions: Sequence[Companion], title: str) -> Table:
    columns = ("images", "share", "by chance", "lift", "PMI", "G", "p")
    rows = tuple(
        (
            one.cui,
            words.or_nothing(one.name),
            f"{one.images:,}",
            percent(one.share, 1),
            f"{one.expected:,.2f}",
            words.lift(one),
            f"{one.pmi:+.2f}",
            f"{one.g:,.1f}",
            words.corrected_p(one.p),
        )
        for one in companions
    )
    return Table(("CUI", "name", *columns), rows, title, right=frozenset(columns))
