"""Phrases that say that something is absent or uncertain, found in a row of words.

They are looked up as names are: by the normal forms of their words, in a trie, in all texts at once.
Invariant: the triggers that are found come in the order of the row and share no word; a longer one wins.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import IntFlag, auto
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import unknown_name
from radcap.vocabulary.index.trie import Trie
from radcap.vocabulary.index.word_table import UNKNOWN
from radcap.vocabulary.linking.overlaps import longest
from radcap.vocabulary.words import ARTICLES, data_file, normal, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.vocabulary.linking.word_rows import WordRow

__all__ = ["DOUBTS", "NEGATES", "Found", "Reach", "Role", "Trigger", "Triggers", "read_english"]

_MOST_WORDS = 500_000  # spellings kept in memory


class Role(IntFlag):
    """What a phrase does; the names are those of the lists in `context.toml`."""

    NEGATES_FOLLOWING = auto()
    NEGATES_PRECEDING = auto()
    NEGATES_NEXT = auto()  # one word
    NEGATES_ITSELF = auto()  # its own words behind the first
    DOUBTS_FOLLOWING = auto()
    DOUBTS_PRECEDING = auto()
    DOUBTS_AROUND = auto()
    ENDS = auto()
    ENDS_FOLLOWING = auto()
    NO_TRIGGER_BEFORE_NUMBERS = auto()
    NO_TRIGGER = auto()


NEGATES = int(Role.NEGATES_FOLLOWING | Role.NEGATES_PRECEDING | Role.NEGATES_NEXT | Role.NEGATES_ITSELF)
DOUBTS = int(Role.DOUBTS_FOLLOWING | Role.DOUBTS_PRECEDING | Role.DOUBTS_AROUND)


@dataclass(frozen=True, slots=True)
class Reach:
    """How many words a trigger may speak of."""

    following: int = 14
    preceding: int = 10
    around: int = 3


@dataclass(frozen=True, slots=True)
class Trigger:
    """A phrase that was found: its first word, the first one behind it, and what it does."""

    start: int
    end: int
    role: int


@dataclass(frozen=True, slots=True)
class Found:
    """All triggers of a row: what starts and what ends with each of its words, as roles."""

    acting: tuple[Trigger, ...]  # those that negate or doubt, in the order of the row
    starting: NDArray[np.int64]
    ending: NDArray[np.int64]


class Triggers:
    """All phrases, by their roles."""

    def __init__(self, phrases: Mapping[str, Sequence[str]]) -> None:
        known: dict[str, int] = {}
        roles: dict[tuple[int, ...], int] = {}
        for name, listed in phrases.items():
            role = _role(name)
            for words in (one for phrase in listed for one in _expanded(phrase)):
                key = tuple(known.setdefault(word, len(known)) for word in words)
                roles[key] = roles.get(key, 0) | role
        flat = np.array([number for key in roles for number in key], np.uint32)
        self._trie, nodes = Trie.of(flat, np.array([len(key) for key in roles], np.int64), len(known))
        self._roles = np.zeros(len(self._trie.marks), np.int64)
        self._roles[nodes.astype(np.int64)] = list(roles.values())
        self._numbers = _Numbers(known)

    def find(self, row: WordRow) -> Found:
        """Every trigger of a row."""
        numbers = np.fromiter(map(self._numbers.__getitem__, row.words), np.int64, len(row.words))
        spans = self._trie.walk(numbers, row.joined)
        spans = spans.only(longest(spans.first, spans.count))
        roles = self._roles[spans.node]
        starting, ending = (np.zeros(len(row.words), np.int64) for _ in range(2))
        starting[spans.first] = roles
        ending[spans.first + spans.count - 1] = roles
        acts = np.flatnonzero(roles & (NEGATES | DOUBTS))
        acts = acts[np.argsort(spans.first[acts])]
        columns = (spans.first[acts], spans.first[acts] + spans.count[acts], roles[acts])
        acting = tuple(map(Trigger, *(one.tolist() for one in columns)))
        return Found(acting, starting, ending)


class _Numbers(dict[str, int]):
    """The number of each word as it is written, looked up once."""

    def __init__(self, known: Mapping[str, int]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        number = self._known.get(normal(word), UNKNOWN)
        self[word] = number
        return number


def _role(name: str) -> Role:
    try:
        return Role[name.upper()]
    except KeyError:
        raise unknown_name("role", name, (str(one.name).lower() for one in Role)) from None


def _expanded(phrase: str) -> Iterator[tuple[str, ...]]:
    """The words of a phrase in normal form, for every choice of `a|b`."""
    for choice in product(*(part.split("|") for part in phrase.split())):
        words = split(" ".join(choice))[1::2]
        yield tuple(normal(word) for word in words if word not in ARTICLES)


@cache
def read_english() -> tuple[Triggers, Reach, int]:
    """The triggers that ship with radcap, how far they reach, and the version of the list."""
    said: dict[str, Any] = tomllib.loads(data_file("context.toml").read_text("utf-8"))
    return Triggers(said["triggers"]), Reach(**said["reach"]), said["version"]
