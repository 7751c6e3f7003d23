"""Where a statement comes from, in one line.

Invariant: the line says what the map over the picture does not: how much came from concepts that were told
instead of the image, that a thing has no single place, or why there is no map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.pictures.sentences import UNPLACED, place_note
from radcap.explanation.pictures.sentences import percent as part
from radcap.reading.telling import certainty, percent

if TYPE_CHECKING:
    from radcap.explanation.values import Evidence
    from radcap.reading.values import Seen

__all__ = ["concept_line", "word_line"]


def word_line(found: Evidence) -> str:
    """Of a word or of the words of a term."""
    return _line(found.label or found.key, found)


def concept_line(one: Seen, found: Evidence | None) -> str:
    """Of a concept, with its probability; `found` is missing where no map was asked for."""
    sure = "" if one.p is None else f", {certainty(one.p)} ({percent(one.p)})"
    return _line(f"{one.name}{sure}", found)


def _line(name: str, found: Evidence | None) -> str:
    if found is None or found.map is None:
        why = UNPLACED if found is None else found.note or UNPLACED
        return f"{name}. No map: {_ended(why)}"
    told = [_shares(found.paths), found.note or place_note(found)]
    return " ".join([f"{name}.", *(_ended(one[0].upper() + one[1:]) for one in told if one)])


def _shares(paths: tuple[tuple[str, float], ...]) -> str:
    return ", ".join(f"{part(share)} from {name}" for name, share in paths)


def _ended(text: str) -> str:
    return f"{text.rstrip('.')}."
