"""Systems as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.tables import to_plain
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.detection.system import ConceptSystem

__all__ = ["system_row", "systems_table"]

_TOLD = ("name", "edition", "team", "task", "source", "published", "needs", "differs")
_SCORES = ("f1", "f1_manual")


def system_row(system: ConceptSystem) -> dict[str, Any]:
    """What a system says of itself, without its tables."""
    return {key: to_plain(getattr(system, key)) for key in _TOLD}


def systems_table(systems: Sequence[ConceptSystem]) -> Table:
    """A line each; scores as they were published."""
    rows = tuple(
        (
            one.name,
            one.edition,
            one.team,
            one.task,
            *(f"{one.published[key]:.4f}" if key in one.published else "" for key in _SCORES),
            ", ".join(one.needs),
        )
        for one in systems
    )
    columns = ("name", "edition", "team", "task", *_SCORES, "needs")
    return Table(columns, rows, right=frozenset(_SCORES))
