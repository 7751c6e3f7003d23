"""Counts as tables: values or concepts, how often they occur, and their share.

Invariant: what is there is never written as a share of zero, and a list that is cut says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core.counts import counted
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.statistics.concepts import ConceptCount
    from radcap.datasets.statistics.counting import Count

__all__ = ["concept_table", "count_table", "percent"]

_LISTED = 20  # rows of a list that has no natural end, such as journals
_SMALLEST = 0.0005  # a share that one digit of a percent can tell from nothing


def percent(part: float, whole: float) -> str:
    """A share in percent; of nothing it is a dash.

    >>> percent(1, 8), percent(1, 5000), percent(0, 0)
    ('12.5 %', '< 0.1 %', '-')
    """
    if not whole:
        return "-"
    return "< 0.1 %" if 0 < part / whole < _SMALLEST else f"{100 * part / whole:.1f} %"


def concept_table(concepts: Sequence[ConceptCount], title: str, images: int) -> Table:
    """Concepts with their names, counts and shares of `images`."""
    rows = [(one.cui, one.name, f"{one.images:,}", percent(one.images, images)) for one in concepts]
    right = frozenset({"images", "share"})
    return Table(("CUI", "name", "images", "share"), tuple(rows), title, right=right)


def count_table(counts: Sequence[Count], name: str, title: str, whole: int, unit: str = "images") -> Table:
    """Values with their counts and shares; a long list is cut, and says so."""
    rows = [(one.name, f"{one.n:,}", percent(one.n, whole)) for one in counts[:_LISTED]]
    more = counts[_LISTED:]
    if more:
        rest = sum(one.n for one in more)
        rows.append((counted(len(more), "other"), f"{rest:,}", percent(rest, whole)))
    return Table((name, unit, "share"), tuple(rows), title, right=frozenset({unit, "share"}))
