"""What a caption speaks of, as phrases that can be looked for in a picture.

Invariant: a concept is looked for once, by its first mention; `place` is that mention in the caption, sign by
sign. The phrase has the side and level words beside the mention, for they say where to look.
>>> [one.phrase for one in entities_of("CT: effusion in the left lung.", EntitySettings(groups=("DISO",)))]
['effusion in the left lung']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.external.settings import EntitySettings
from radcap.explanation.external.spatial import names_arrow, place_words
from radcap.vocabulary import link, semantic_types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.core import Cui
    from radcap.vocabulary import Mention

__all__ = ["Entity", "entities_of"]

_TAIL = re.compile(r"\s+(?:in|of|at|on|within|involving|over)\s+(?:[^\s,.;:()]+\s*){1,6}", re.IGNORECASE)
_STOP = re.compile(r"\s+(?:and|or|with|without|showing|shows|consistent|suggesting)\b", re.IGNORECASE)
_BRACKET = re.compile(r"\s*\([^()]{1,40}\)")
_BEFORE = re.compile(r"(?:[\w-]+\s+){1,3}$")


@dataclass(frozen=True, slots=True)
class Entity:
    """A concept of a caption, and what is looked for."""

    phrase: str
    label: str
    cui: Cui
    place: tuple[int, int]


def entities_of(caption: str, settings: EntitySettings) -> tuple[Entity, ...]:
    """In the order of the caption."""
    found: dict[Cui, Entity] = {}
    for mention in _wanted(link(caption), settings):
        if mention.cui not in found and len(found) < settings.most:
            phrase = _phrase(caption, mention.start, mention.end)
            found[mention.cui] = Entity(phrase, mention.text, mention.cui, (mention.start, mention.end))
    return tuple(found.values())


def _wanted(mentions: Iterable[Mention], settings: EntitySettings) -> Iterable[Mention]:
    known = semantic_types()
    for one in mentions:
        groups = {known[tui].group for tui in one.types if tui in known}
        fits = not groups or not groups.isdisjoint(settings.groups)
        if fits and (settings.negated or not one.negated):
            yield one


def _phrase(caption: str, start: int, end: int) -> str:
    """The mention with the words around it that name a place or an arrow, on one line."""
    head, tail = _head(caption[:start]), ""
    following = _TAIL.match(caption[end:])
    if following:
        words = _STOP.split(following[0])[0]
        tail = words.rstrip() if place_words(words) else ""
    bracket = _BRACKET.match(caption[end + len(tail) :])
    if bracket and names_arrow(bracket[0]):
        tail += bracket[0]
    return " ".join(f"{head}{caption[start:end]}{tail}".split())


def _head(before: str) -> str:
    """The words directly before, from the first that names a place."""
    words = _BEFORE.search(before)
    if words is None:
        return ""
    parts = re.findall(r"\S+\s+", words[0])
    kept: list[str] = []
    for one in reversed(parts):
        if not place_words(one):
            break
        kept.insert(0, one)
    return "".join(kept)
