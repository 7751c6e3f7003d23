"""Mentions as a table for people.

Invariant: what is a matter of course is not said: a name as written that is the longest match has no note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report import Table
from radcap.vocabulary.describing import type_label
from radcap.vocabulary.linking.mentions import LONGEST_MATCH, How

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["mention_table"]


def mention_table(mentions: Sequence[Mention]) -> Table:
    """Place, words, concept and types of each mention, and a note where one has something to add."""
    rows = tuple(
        (
            f"{one.start}-{one.end}",
            one.text,
            one.cui,
            one.name,
            ", ".join(map(type_label, one.types)),
            _note(one),
        )
        for one in mentions
    )
    columns = ("place", "text", "CUI", "name", "type", "note")
    if not any(row[-1] for row in rows):  # most often there is nothing to add
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    return Table(columns, rows, right=frozenset({"place"}))


def _note(one: Mention) -> str:
    """How it was recognised and why it stays."""
    marks = ["negated"] * one.negated + ["uncertain"] * one.uncertain
    if not one.kept:
        marks.append(f"dropped: {one.why}")
    elif one.why != LONGEST_MATCH:
        marks.append(one.why)
    elif one.how is not How.NAME:
        marks.append(one.how.value)
    return ", ".join(marks)
