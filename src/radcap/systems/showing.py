"""Systems as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.dotted import load_dotted
from radcap.core.tables import to_plain
from radcap.report import Table
from radcap.systems.board.kept import kept_scores
from radcap.systems.needing import what_is_needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.kept import KeptScore
    from radcap.systems.catalogue import System

__all__ = ["concepts_table", "system_row", "systems_table", "written"]

_OWN = "radcap"
_TOLD = ("name", "edition", "team", "task", "source", "published", "needs", "differs")
_OF_CONCEPTS = ("family", "known", "need")
_WRITERS = {  # task -> writer of its file
    "concepts": "radcap.detection.system_reading:system_toml",
    "captions": "radcap.captioning.system_reading:caption_toml",
    "explain": "radcap.explanation.system_reading:explain_toml",
}


def written(system: System, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    return load_dotted(_WRITERS[system.task])(system, full=full)


def system_row(system: System) -> dict[str, Any]:
    """What a system says of itself, without its tables; of a concept system also what was measured."""
    told = {key: to_plain(getattr(system, key)) for key in _TOLD}
    if system.task != "concepts":
        return told
    score = kept_scores().get(system.name)
    more = {key: to_plain(getattr(system, key)) for key in _OF_CONCEPTS}
    measured = None if score is None else score.to_json()
    return {**told, **more, "status": what_is_needed(system.needs), "measured": measured}


def _places(system: System) -> int:
    """Decimals of its scores: ratings are published with one."""
    return 1 if system.task == "explain" else 4


def concepts_table(systems: Sequence[ConceptSystem]) -> Table:
    """Concept systems: how much of each is public, its published score, the one measured here, its needs."""
    kept = kept_scores()
    rows = tuple(
        (
            one.name,
            one.edition,
            one.team,
            one.family,
            "" if one.edition == _OWN else one.known,
            f"{one.published['f1']:.4f}" if "f1" in one.published else "",
            _measured(kept[one.name]) if one.name in kept else "",
            what_is_needed(one.needs),
        )
        for one in systems
    )
    columns = ("name", "edition", "team", "family", "known", "published", "here", "status")
    return Table(columns, rows, right=frozenset({"published", "here"}))


def _measured(score: KeptScore) -> str:
    """A star marks a system that stands on a model which ships inside."""
    return f"{score.f1:.4f}{'*' if score.borrowed else ''}"


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
