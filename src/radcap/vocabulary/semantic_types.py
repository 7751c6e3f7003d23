"""The semantic types of UMLS: what kind of thing a concept is.

>>> semantic_type("T023").name
'Body Part, Organ, or Organ Component'
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

from radcap.core import unknown_name
from radcap.vocabulary.words import data_file

__all__ = ["SemanticType", "semantic_type", "semantic_types"]


@dataclass(frozen=True, slots=True)
class SemanticType:
    """One of the 127 types, and the group it belongs to."""

    tui: str
    abbreviation: str
    name: str
    group: str
    group_name: str


@cache
def semantic_types() -> dict[str, SemanticType]:
    """Every type by its TUI."""
    rows = csv.reader(data_file("semantic_types.csv").read_text("utf-8").splitlines())
    next(rows)
    return {row[0]: SemanticType(*row) for row in rows}


def semantic_type(tui: str) -> SemanticType:
    """The type of that TUI."""
    known = semantic_types()
    if tui not in known:
        raise unknown_name("semantic type", tui, known)
    return known[tui]
