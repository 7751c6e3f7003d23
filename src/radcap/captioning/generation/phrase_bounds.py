"""Captions inside an allowed phrase whose first words are banned alone: how they may go on.

Invariant: a caption is bound by a banned phrase in it as long as no allowed phrase around that is whole, and
one has been begun; it is free again where none can be made whole any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from radcap.captioning.generation.phrase_index import Inside, PhraseIndex
    from radcap.captioning.generation.ragged import Ints

__all__ = ["Bools", "Bounds", "PhraseStates"]

Bools: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The rows that are bound, and which of them (by place) may go on with which token."""

    rows: Ints
    places: Ints
    tokens: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PhraseStates:
    """What each phrase of an index is for each image."""

    index: PhraseIndex
    banned: Bools  # images x phrases
    allowed: Bools

    def around(self, ends: Ints, images: Ints, inside: Inside) -> tuple[Ints, Ints]:
        """Rows of `inside` with an allowed outer phrase at the nodes (n x l) of texts: text and row."""
        place, item = inside.nodes.of_all(ends.ravel())
        text = place // ends.shape[1]
        is_allowed = self.allowed[images[text], inside.outer[item]]
        return text[is_allowed], item[is_allowed]

    def bounds(self, texts: Ints, ends: Ints, images: Ints) -> Bounds | None:
        """Of texts (n x 2 longest) that end at these nodes; None where all are free."""
        opens = self.index.opens
        text, item = self.around(ends, images, opens)
        is_banned = self.banned[images[text], opens.inner[item]]
        text, item = text[is_banned], item[is_banned]
        if not len(text):
            return None
        after = opens.after[item]
        met = self._met(text, opens.inner[item], after)
        is_free = np.isin(met, self._made_whole(np.unique(text), texts, images, int(after.max())))
        return None if is_free.all() else self._common(met[~is_free], opens.token[item[~is_free]])

    def _met(self, text: Ints, phrase: Ints, ago: Ints) -> Ints:
        """A number for a phrase that ended so many tokens ago."""
        return (text * len(self.index) + phrase) * self._ages + ago

    @property
    def _ages(self) -> int:
        return 2 * self.index.trie.longest

    def _made_whole(self, chosen: Ints, texts: Ints, images: Ints, oldest: int) -> Ints:
        """The phrases in the chosen texts around which an allowed one became whole of late."""
        longest, closes = self.index.trie.longest, self.index.closes
        met: list[Ints] = []
        for ago in range(oldest + 1):
            last = texts.shape[1] - ago
            ends = self.index.trie.ends(texts[chosen, last - longest : last])
            text, item = self.around(ends, images[chosen], closes)
            met.append(self._met(chosen[text], closes.inner[item], closes.after[item] + ago))
        return np.concatenate(met)

    def _common(self, met: Ints, token: Ints) -> Bounds:
        """The tokens that suit every banned phrase of a text."""
        most = int(token.max()) + 1
        met, token = np.divmod(np.unique(met * most + token), most)
        one_each = np.unique(met) // (len(self.index) * self._ages)
        rows, wanted = np.unique(one_each, return_counts=True)
        text = met // (len(self.index) * self._ages)
        pairs, suited = np.unique(text * most + token, return_counts=True)
        text, token = np.divmod(pairs, most)
        places = np.searchsorted(rows, text)
        suits = suited == wanted[places]
        return Bounds(rows, places[suits], token[suits])
