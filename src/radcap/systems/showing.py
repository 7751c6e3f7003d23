"""Systems as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from radcap.core.dotted import load_dotted
from radcap.core.tables import to_plain
from radcap.report import Table
from radcap.systems.board.captions.kept import kept_captions
from radcap.systems.board.kept import kept_scores
from radcap.systems.main_scores import main_measure, main_score
from radcap.systems.needing import what_is_needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.system import CaptionSystem
    from radcap.detection.system import ConceptSystem
    from radcap.systems.board.captions.kept import KeptCaptions
    from radcap.systems.board.kept import KeptScore
    from radcap.systems.catalogue import System

__all__ = ["captions_table", "concepts_table", "system_row", "systems_table", "written"]

_OWN = "radcap"
_TOLD = ("name", "edition", "team", "task", "source", "published", "needs", "differs")
_RANKED = ("family", "known", "need")  # what systems say that stand on a board
_COLUMNS = ("name", "edition", "team", "family", "known", "published", "here", "status")
_WRITERS = {  # task -> writer of its file
    "concepts": "radcap.detection.system_reading:system_toml",
    "captions": "radcap.captioning.system_reading:caption_toml",
    "explain": "radcap.explanation.system_reading:explain_toml",
}


def written(system: System, *, full: bool = False) -> str:
    """The file of a system: the keys that differ from the defaults, or all of them."""
    return load_dotted(_WRITERS[system.task])(system, full=full)


def system_row(system: System) -> dict[str, Any]:
    """What a system says of itself, without its tables; where there is a board also what was measured."""
    told = {key: to_plain(getattr(system, key)) for key in _TOLD}
    if system.task == "explain":
        return told
    score = (kept_scores() if system.task == "concepts" else kept_captions()).get(system.name)
    more = {key: to_plain(getattr(system, key)) for key in _RANKED}
    measured = None if score is None else score.to_json()
    return {**told, **more, "status": what_is_needed(system.needs), "measured": measured}


def _places(system: System) -> int:
    """Decimals of its scores: ratings are published with one."""
    return 1 if system.task == "explain" else 4


def concepts_table(systems: Sequence[ConceptSystem]) -> Table:
    """Concept systems: how much of each is public, its published score, the one measured here, its needs."""
    kept = kept_scores()
    rows = tuple(
        _ranked(
            one,
            f"{one.published['f1']:.4f}" if "f1" in one.published else "",
            _measured(kept[one.name], kept[one.name].f1) if one.name in kept else "",
        )
        for one in systems
    )
    return Table(_COLUMNS, rows, right=frozenset({"published", "here"}))


def captions_table(systems: Sequence[CaptionSystem]) -> Table:
    """Caption systems alike; the published score is that which the edition ranked by, with its name."""
    kept = kept_captions()
    rows = tuple(
        _ranked(
            one,
            _main(one),
            _measured(kept[one.name], kept[one.name].rouge1) if one.name in kept else "",
        )
        for one in systems
    )
    return Table(_COLUMNS, rows, right=frozenset({"published", "here"}))


def _ranked(system: ConceptSystem | CaptionSystem, published: str, here: str) -> tuple[str, ...]:
    known = "" if system.edition == _OWN else system.known
    about = (system.name, system.edition, system.team, system.family, known)
    return (*about, published, here, what_is_needed(system.needs))


def _main(system: CaptionSystem) -> str:
    score = main_score(system)
    return "" if score is None else f"{main_measure(system.edition)} {score:.4f}"


def _measured(kept: KeptScore | KeptCaptions, value: float) -> str:
    """A star marks a system that stands on a model which ships inside."""
    return f"{value:.4f}{'*' if kept.borrowed else ''}"


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
