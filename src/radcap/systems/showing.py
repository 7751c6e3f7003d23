"""Systems as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.dotted import load_dotted
from radcap.core.tables import to_plain
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.systems.catalogue import System

__all__ = ["system_row", "systems_table", "written"]

_TOLD = ("name", "edition", "team", "task", "source", "published", "needs", "differs")
_WRITERS = {  # task -> writer of its file
    "concepts": "radcap.detection.system_reading:system_toml",
    "captions": "radcap.captioning.system_reading:caption_toml",
    "explain": "radcap.explanation.system_reading:explain_toml",
}


def written(system: System, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    return load_dotted(_WRITERS[system.task])(system, full=full)


def system_row(system: System) -> dict[str, Any]:
    """What a system says of itself, without its tables."""
    return {key: to_plain(getattr(system, key)) for key in _TOLD}


def _places(system: System) -> int:
    """Decimals of its scores: ratings are published with one."""
    return 1 if system.task == "explain" else 4


def systems_table(systems: Sequence[System]) -> Table:
    """A line each; scores as they were published."""
    rows = tuple(
        (
            one.name,
            one.edition,
            one.team,
            one.task,
            ", ".join(f"{key} {value:.{_places(one)}f}" for key, value in one.published.items()),
            ", ".join(one.needs),
        )
        for one in systems
    )
    return Table(("name", "edition", "team", "task", "published", "needs"), rows)
