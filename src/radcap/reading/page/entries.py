"""What a page knows of one image: a card, or why there is none. It can be kept in a file between two runs.

Invariant: an entry holds markup and a few words, never a picture or a map as numbers, so that a page of a
hundred is the most that a run has in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.reading.page.card import NO_MODALITY, card
from radcap.reading.values import Unread
from radcap.report.markup import Markup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.reading.values import Reading

__all__ = ["Entry", "entry_of"]

_NO_CARD = Markup("")


@dataclass(frozen=True, slots=True)
class Entry:
    """An image by its number in the run, from 1. Without a `card` it was not read, and `why` says so."""

    number: int
    image: str
    modality: str = ""
    caption: str = ""
    card: Markup = _NO_CARD
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        names = ("number", "image", "modality", "caption", "card", "why")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Entry:
        """An entry that `to_json` wrote; the card was escaped when it was made."""
        names = ("image", "modality", "caption", "why")
        texts = {name: str(told[name]) for name in names}
        return cls(int(told["number"]), card=Markup(told["card"]), **texts)


def entry_of(one: Reading | Unread, number: int) -> Entry:
    """The entry of an image that was read, or was not."""
    if isinstance(one, Unread):
        return Entry(number, one.image, why=one.why)
    modality = NO_MODALITY if one.modality is None else one.modality.name
    return Entry(number, one.image, modality, one.caption, card(one, number))
