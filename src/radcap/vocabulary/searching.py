"""Find concepts by a name a person half remembers.

Invariant: a name with all the words asked for goes before one that lacks some; among those the one with the
fewest other words is first, then the one the vocabulary prefers. A CUI finds itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.concepts import cui_number
from radcap.vocabulary.index.word_table import UNKNOWN
from radcap.vocabulary.words import ARTICLES, normal, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.vocabulary.concepts import Concept
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Hit", "can_correct", "search"]

_NEAR = 75.0  # of 100: how alike two spellings are
_SPELLINGS = 3  # words a misspelt one may stand for
_LOOKED_AT = 20_000  # names that are compared


@dataclass(frozen=True, slots=True)
class Hit:
    """A concept, and the name of it that was found."""

    concept: Concept
    found: str

    def to_json(self) -> dict[str, object]:
        return {**self.concept.to_json(), "found": self.found}


def can_correct() -> bool:
    """Whether misspelt words are understood: that needs rapidfuzz."""
    return find_spec("rapidfuzz") is not None


def search(vocabulary: Vocabulary, query: str, limit: int = 10) -> list[Hit]:
    """The best concepts for some words, or the one of a CUI."""
    if cui_number(query.strip()) is not None:
        known = vocabulary.concept(query.strip())
        return [] if known is None else [Hit(known, known.name)]
    words = [normal(word) for word in split(query)[1::2] if word not in ARTICLES]
    hits: dict[int, str] = {}
    for name in _ranked(vocabulary, _names(vocabulary, words)):
        hits.setdefault(vocabulary.owner(name), vocabulary.names[name])
        if len(hits) >= limit:
            break
    return [Hit(vocabulary.concept_at(place), found) for place, found in list(hits.items())[: max(0, limit)]]


def _names(vocabulary: Vocabulary, words: list[str]) -> dict[int, int]:
    """Names that have some of the words, and how many."""
    having: dict[int, int] = {}
    for word in dict.fromkeys(words):
        numbers = list(_numbers(vocabulary, word))
        names = np.unique(np.concatenate([vocabulary.having[one] for one in numbers])) if numbers else ()
        for name in np.asarray(names, np.int64).tolist():
            having[name] = having.get(name, 0) + 1
    return having


def _numbers(vocabulary: Vocabulary, word: str) -> Iterator[int]:
    """The word itself, or words that look like it."""
    number = vocabulary.words.number(word)
    if number != UNKNOWN:
        yield number
    elif can_correct():
        from rapidfuzz import fuzz, process

        known = list(vocabulary.words.words)
        for _, _, place in process.extract(
            word, known, scorer=fuzz.ratio, limit=_SPELLINGS, score_cutoff=_NEAR
        ):
            yield int(place)


def _ranked(vocabulary: Vocabulary, having: dict[int, int]) -> list[int]:
    letters = vocabulary.names.size
    most = sorted(having, key=lambda name: (-having[name], letters(name)))[:_LOOKED_AT]
    return sorted(most, key=lambda name: (-having[name], _words(vocabulary.names[name]), name))


def _words(name: str) -> int:
    return len(split(name)) // 2
