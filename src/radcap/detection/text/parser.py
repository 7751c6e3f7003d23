"""Concepts out of what a vision-language model wrote: lists of names or CUIs, or sentences with names.

Invariant: only labels are answered, and no text is refused. Longer names win over names inside them; a comma
or the end of an item is crossed only by a name that has one there; what is denied is left out. Words in which
no name stands may be a misspelt one: they are taken for the nearest that is like enough.
>>> parser = ListParser.of({"C0817096": "Chest", "C0032227": "Pleural effusion"})
>>> parser.concepts("- chest\\n- no mass, pleural efusion")
['C0817096', 'C0032227']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.text.near_names import NearNames
from radcap.detection.text.written import plain
from radcap.vocabulary.linking.context import Context
from radcap.vocabulary.linking.overlaps import longest
from radcap.vocabulary.linking.word_rows import read_words
from radcap.vocabulary.words import normal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.vocabulary.linking.word_rows import WordRow

__all__ = ["ListParser"]

_GUESSES = 64  # runs of words that are compared with all names, of one text
_JOINING = frozenset({"and", "or", "nor", "with", "of", "in", "on"})
Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ListParser:
    """The names of labels by their words, ready to be found."""

    labels: tuple[Cui, ...]
    known: Mapping[Key, int]  # the words of a name, each with what parts it from the one before
    lengths: Mapping[str, tuple[int, ...]]  # how many words names have that begin so
    near: NearNames
    owners: tuple[int, ...]  # of the near names

    @classmethod
    def of(cls, names: Mapping[Cui, str], cutoff: float = 0.85) -> ListParser:
        """For these labels; of two with the same name the first one has it."""
        known: dict[Key, int] = {}
        owners: dict[str, int] = {}
        for place, (cui, name) in enumerate(names.items()):
            for one in (cui, name):
                words = _Words(plain(one))
                if words.plain:
                    known.setdefault(words.key(0, len(words.plain)), place)
            owners.setdefault(" ".join(_Words(plain(name)).plain), place)
        owners.pop("", None)
        lengths: dict[str, set[int]] = {}
        for key in known:
            lengths.setdefault(key[0], set()).add(len(key))
        sizes = {first: tuple(sorted(some)) for first, some in lengths.items()}
        return cls(tuple(names), known, sizes, NearNames(tuple(owners), cutoff), tuple(owners.values()))

    def read(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Which labels each text names."""
        found = np.zeros((len(texts), len(self.labels)), np.bool_)
        for row, text in enumerate(texts):
            found[row, list(self._places(text))] = True
        return found

    def concepts(self, text: str) -> list[Cui]:
        """The labels that a text names, in the order of the labels."""
        return [self.labels[place] for place in sorted(set(self._places(text)))]

    def _places(self, text: str) -> Iterator[int]:
        words = _Words(plain(text))
        denied = words.denied()
        free = ~denied
        for first, count, place in self._named(words):
            free[first : first + count] = False
            if not denied[first]:
                yield place
        for number, run in enumerate(words.runs(free)):
            if number == _GUESSES:
                return
            near = self.near.nearest(run)
            if near is not None:
                yield self.owners[near]

    def _named(self, words: _Words) -> list[tuple[int, int, int]]:
        """First word, number of words and label of each name, without names inside names."""
        found: list[tuple[int, int, int]] = []
        for first, word in enumerate(words.plain):
            for count in self.lengths.get(word, ()):
                place = self.known.get(words.key(first, count))
                if place is not None:
                    found.append((first, count, place))
        spans = np.array(found, np.int64).reshape(-1, 3)
        return [found[i] for i in np.flatnonzero(longest(spans[:, 0], spans[:, 1])).tolist()]


class _Words:
    """The words of a plain text in normal form, and what parts them."""

    def __init__(self, text: str) -> None:
        self._row: WordRow = read_words([text])
        row = self._row
        self.plain = [normal(word) for word in row.words]
        self._parted = ["", *(self._parting(place) for place in range(1, len(row.words)))]
        pairs = zip(self._parted, self.plain, strict=False)
        self._inner = [f"{parted} {word}" for parted, word in pairs]

    def _parting(self, place: int) -> str:
        """The sign before a word that a name does not cross unless it has it; none between joined words."""
        row = self._row
        if row.sentence[place] != row.sentence[place - 1]:
            return ";"
        if row.joined[place]:
            return ""
        return row.text[int(row.end[place - 1]) : int(row.start[place])].strip()[:1]

    def key(self, first: int, count: int) -> Key:
        """What a name of so many words is known by; fewer where the text ends before."""
        return (self.plain[first], *self._inner[first + 1 : first + count])

    def denied(self) -> NDArray[np.bool_]:
        return Context.english().marks(self._row)[0]

    def runs(self, free: NDArray[np.bool_]) -> Iterator[str]:
        """Words that stand together and are free, up to a sign or a joining word."""
        run: list[str] = []
        for place, word in enumerate(self.plain):
            stays = bool(free[place]) and word not in _JOINING
            if run and (self._parted[place] or not stays):
                yield " ".join(run)
                run = []
            if stays:
                run.append(word)
        if run:
            yield " ".join(run)
