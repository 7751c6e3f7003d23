"""What is looked up for a name: its words in normal form, and those of its variants.

Invariant: a name that could not be told from other words (a letter, bare digits, T1) has no keys, and one
longer than any caption says it has none either; the reason is counted, and the name stays a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.vocabulary.words import ARTICLES, HYPHENS, cased, normal, not_names, prefixes, split, variants

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DERIVED", "GUARDED", "LONGEST", "Keys", "is_guarded", "surfaces", "taken_apart"]

DERIVED, GUARDED = 1, 2  # a variant, not the name as written; found only in the case it is written in
LONGEST = 20  # words
_REST = 3  # letters of a word that stays when its prefix is taken off
_SHORT, _CAPITALS = 3, 6  # letters of names that need their case: all, and those with capitals inside


class Keys:
    """Makes keys, and numbers the words it meets."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # normal form -> number
        self._raw: dict[str, int] = {}  # the same for words as they are written

    def of(self, name: str) -> Iterator[tuple[list[int], int]]:
        """Sequences of word numbers, each with its marks."""
        for form, mark in _forms(name):
            parts = split(form)
            words = _without_articles(parts[1::2])
            if _is_usable(words):
                yield self._numbers(words), mark | (GUARDED if _needs_case(words) else 0)
                if not HYPHENS.isdisjoint(form) and (whole := _fused(parts)):
                    yield self._numbers(_without_articles(whole)), mark

    def _numbers(self, words: list[str]) -> list[int]:
        return [self._number(one) for one in words]

    def _number(self, word: str) -> int:
        number = self._raw.get(word)
        if number is None:
            number = self.words.setdefault(normal(word), len(self.words))
            self._raw[word] = number
        return number


def _without_articles(words: list[str]) -> list[str]:
    return [one for one in words if one not in ARTICLES]


def _fused(parts: list[str]) -> list[str]:
    """The words with each prefix and what follows its hyphen made one; nothing if there is no prefix."""
    known = prefixes()
    words: list[str] = []
    fuses = False
    for i in range(1, len(parts), 2):
        if words and parts[i - 1] in HYPHENS and words[-1].lower() in known and len(parts[i]) >= _REST:
            words[-1] += parts[i]
            fuses = True
        else:
            words.append(parts[i])
    return words if fuses else []


def _forms(name: str) -> Iterator[tuple[str, int]]:
    yield name, 0
    for one in variants(name):
        yield one, DERIVED


def taken_apart(words: dict[str, int]) -> dict[int, tuple[int, int]]:
    """Words that are a prefix and another of these words, as the numbers of both: nonunion, non and union."""
    found: dict[int, tuple[int, int]] = {}
    longest = max(map(len, prefixes()))
    for word in list(words):
        for cut in range(1, min(longest, len(word) - _REST) + 1):
            if word[:cut] in prefixes() and word[cut:] in words:
                found[words[word]] = (words.setdefault(word[:cut], len(words)), words[word[cut:]])
    return found


def surfaces(name: str) -> tuple[str, ...]:
    """The words that are a whole form of a name, as they are written: what tells its case."""
    forms = (_without_articles(split(form)[1::2]) for form, _ in _forms(name))
    return tuple(cased(words[0]) for words in forms if len(words) == 1)


def is_guarded(form: str) -> bool:
    """Whether a name is so short, or so plainly an abbreviation, that its case has to fit."""
    return _needs_case(_without_articles(split(form)[1::2]))


def _needs_case(words: list[str]) -> bool:
    if len(words) != 1:
        return False
    word = cased(words[0])
    return len(word) <= _SHORT or (len(word) <= _CAPITALS and word[1:] != word[1:].lower())


def _is_usable(words: list[str]) -> bool:
    """Whether there are words, not too many, and no letter, digits or a word of another meaning alone."""
    if len(words) == 1:
        word = cased(words[0])
        return len(word) > 1 and not word.isdigit() and word not in not_names()
    return 1 < len(words) <= LONGEST
