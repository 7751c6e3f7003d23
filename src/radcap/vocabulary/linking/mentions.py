"""A place in a text that names a concept, and why it counts or not.

Invariant: `text` is the text between `start` and `end`, sign for sign. A mention that is dropped keeps its
concept, and `why` names the rule that decided, for kept ones too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["LONGEST_MATCH", "How", "Mention"]

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
