"""Figures about concepts as people read them, on a terminal and on a page.

Invariant: what nobody knows is a dash, never an empty place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.datasets.statistics.count_tables import percent
from radcap.report.names import shortened
from radcap.vocabulary import semantic_types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.datasets.concepts.companions import Companion
    from radcap.datasets.concepts.figures import ConceptFigures, Named

__all__ = [
    "NOTHING",
    "ROOM",
    "corrected_p",
    "interval",
    "kind",
    "lift",
    "listed",
    "or_nothing",
    "title",
    "types",
]

NOTHING = "-"
ROOM = 120  # letters of a name; no real one is longer by much
_NO_TYPE = "type not known"
_LEAST_P = 0.0001
_FACTOR = 10  # from which a lift needs no digit behind the point


def or_nothing(text: str) -> str:
    """The text, or the word for none."""
    return text or NOTHING


def title(one: ConceptFigures | Companion | Named) -> str:
    """The name of a concept, or its CUI where it has none."""
    return shortened(one.name or one.cui, ROOM)


def types(tuis: Iterable[str]) -> str:
    """Semantic types by name; one that nobody named stays a number.

    >>> types(("T047", "T999")), types(())
    ('Disease or Syndrome; T999', '-')
    """
    known = semantic_types()
    return or_nothing("; ".join(known[one].name if one in known else one for one in tuis))


def kind(tuis: Iterable[str]) -> str:
    """The group of the first type that has one.

    >>> kind(("T999", "T047")), kind(())
    ('Disorders', 'type not known')
    """
    known = semantic_types()
    return next((known[one].group_name for one in tuis if one in known), _NO_TYPE)


def interval(one: ConceptFigures) -> str:
    """Where the share lies."""
    return f"{percent(one.interval.low, 1)} to {percent(one.interval.high, 1)}"


def lift(one: Companion) -> str:
    """How much more often than chance has it.

    >>> from radcap.datasets.concepts.companions import Companion
    >>> lift(Companion("C1", "", 2, 1.0, 0.5, 4.0, 2.0, 1.0, 1.0))
    '\u00d74.0'
    """
    return f"\u00d7{one.lift:,.0f}" if one.lift >= _FACTOR else f"\u00d7{one.lift:.1f}"


def corrected_p(p: float) -> str:
    """A probability with four digits.

    >>> corrected_p(0.0), corrected_p(0.0312)
    ('< 0.0001', '0.0312')
    """
    return f"< {_LEAST_P}" if p < _LEAST_P else f"{p:.4f}"


def listed(names: Iterable[str], most: int) -> str:
    """Names in a row, those beyond `most` counted.

    >>> listed("abcd", 2), listed("", 2)
    ('a; b; 2 more', '-')
    """
    told = list(names)
    more = [f"{len(told) - most:,} more"] if len(told) > most else []
    return or_nothing("; ".join([*told[:most], *more]))
