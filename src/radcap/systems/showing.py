"""Systems as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.tables import to_plain
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.systems.catalogue import System

__all__ = ["system_row", "systems_table", "written"]

_TOLD = ("name", "edition", "team", "task", "source", "published", "needs", "differs")


def written(system: System, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    from radcap.captioning.system_reading import caption_toml
    from radcap.detection.system import ConceptSystem
    from radcap.detection.system_reading import system_toml

    if isinstance(system, ConceptSystem):
        return system_toml(system, full=full)
    return caption_toml(system, full=full)


def system_row(system: System) -> dict[str, Any]:
    """What a system says of itself, without its tables."""
    return {key: to_plain(getattr(system, key)) for key in _TOLD}


def systems_table(systems: Sequence[System]) -> Table:
    """A line each; scores as they were published."""
    rows = tuple(
        (
            one.name,
            one.edition,
            one.team,
            one.task,
            ", ".join(f"{key} {value:.4f}" for key, value in one.published.items()),
            ", ".join(one.needs),
        )
        for one in systems
    )
    return Table(("name", "edition", "team", "task", "published", "needs"), rows)
