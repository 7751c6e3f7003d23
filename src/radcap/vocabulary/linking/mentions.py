"""A place in a text that names a concept, and why it counts or not.

Invariant: `text` is the text between `start` and `end`, sign for sign. A mention that is dropped keeps its
concept, and `why` names the rule that decided, for kept ones too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from radcap.core import counted

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["LONGEST_MATCH", "How", "Linked", "Mention"]

LONGEST_MATCH = "longest match"  # why most mentions are kept


class How(StrEnum):
    """By what a mention was recognised."""

    NAME = "name"  # a name of the concept, whatever its case and number
    VARIANT = "variant"  # a form that follows from a name: 'left ovary' from 'Structure of left ovary'
    ABBREVIATION = "abbreviation"  # the text itself says what it stands for
    MODEL = "model"  # another extractor said so


@dataclass(frozen=True, slots=True)
class Mention:
    """A concept in a text."""

    start: int
    end: int
    text: str
    cui: Cui
    name: str
    types: tuple[str, ...] = ()
    how: How = How.NAME
    negated: bool = False
    uncertain: bool = False
    others: tuple[Cui, ...] = ()  # what the same words also name
    kept: bool = True
    why: str = LONGEST_MATCH
    score: float | None = None  # of extractors that have one

    def to_json(self) -> dict[str, object]:
        return {
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "cui": self.cui,
            "name": self.name,
            "types": list(self.types),
            "how": self.how.value,
            "negated": self.negated,
            "uncertain": self.uncertain,
            "others": list(self.others),
            "kept": self.kept,
            "why": self.why,
            "score": self.score,
        }


class Linked(tuple[Mention, ...]):
    """The mentions of one text: a tuple that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_table

        columns = ("words", "concept", "name", "types", "status", "why")
        title = counted(len(self), "mention")
        return html_table(columns, map(_cells, self), len(self), title=title, noun="mention")


def _cells(one: Mention) -> tuple[str, ...]:
    marks = {"absent": one.negated, "uncertain": one.uncertain, "dropped": not one.kept}
    said = ", ".join(word for word, holds in marks.items() if holds) or "present"
    return (one.text, one.cui, one.name, ", ".join(one.types), said, one.why)
