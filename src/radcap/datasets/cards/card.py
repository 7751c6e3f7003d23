"""What a dataset says of itself: what it is, how its labels were made, what it must not be used for.

Invariant: a card is written beside every dataset as `card.json` and read back unchanged.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["CARD_FILE", "Card", "read_card"]

CARD_FILE = "card.json"
_LISTS = ("limitations", "known_issues")
_MOST_BYTES = 1_000_000  # of a card: a page or two of text has a few thousand


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a dataset. Counts are not kept here by hand: whoever writes a dataset counts it."""

    name: str
    title: str = ""
    description: str = ""
    version: str = ""
    licence: str = ""  # of the whole: the strictest of its rows
    homepage: str = ""
    citation: str = ""
    labels: str = ""  # how they were made
    intended_use: str = ""
    not_for: str = ""
    limitations: tuple[str, ...] = ()
    known_issues: tuple[str, ...] = ()  # codes that `dataset check` may report without being news
    counts: Mapping[str, int] = field(default_factory=dict[str, int])  # images by split
    licences: Mapping[str, int] = field(default_factory=dict[str, int])  # images by licence
    sources: Mapping[str, int] = field(default_factory=dict[str, int])  # images by source

    def to_json(self) -> dict[str, Any]:
        return {
            name: list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]
            for name in self.__slots__
            if (value := getattr(self, name))
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Card:
        """A card from its file; keys of a later version are left alone."""
        known = {name: values[name] for name in cls.__slots__ if name in values}
        for name in _LISTS:
            known[name] = tuple(known.get(name, ()))
        return cls(**known)


def read_card(folder: Path, name: str) -> Card:
    """The card of a folder, or a bare one that has only its name."""
    path = folder / CARD_FILE
    if not path.is_file():
        return Card(name)
    if path.stat().st_size > _MOST_BYTES:
        size = f"{path.stat().st_size:,}"
        raise InputError(
            f"{path} has {size} bytes. A card has at most {_MOST_BYTES:,}. Shorten or delete it."
        )
    try:
        values = json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {error}. Write the card again, or delete it.") from None
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no card: it is no JSON object. Write it again, or delete it.")
    said = cast("dict[str, Any]", {"name": name, **values})
    wrong = [f"{key!r} is no {kind}" for key, kind in _wrong_parts(said)]
    if wrong:
        raise InputError(f"{path} holds no card: {', '.join(wrong)}. Correct it, or delete it.")
    return Card.from_json(said)


def _wrong_parts(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The keys of a card that hold something else than they should, and what they should hold."""
    for key in Card.__slots__:
        kind, fits = _KINDS.get(key, ("text", _is_text))
        if key in said and not fits(said[key]):
            yield key, kind


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[Any]", value)))


def _is_counted(value: Any) -> bool:
    return isinstance(value, dict) and all(type(one) is int for one in cast("dict[str, Any]", value).values())


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(_LISTS, ("list of texts", _is_list)),
    **dict.fromkeys(("counts", "licences", "sources"), ("table of counts", _is_counted)),
}
