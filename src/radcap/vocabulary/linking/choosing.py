"""Which concept some words name, where a vocabulary has several for them.

The order: a name as written before a variant; an abbreviation, which has to stand in its own case, before a
name that is found in any; then the better name by the rank of its source; then the lower CUI. An abbreviation
in another case is none, and neither is a common word that happens to be one.
Invariant: a choice depends on the words and their case alone, so it is made once for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from radcap.vocabulary.index.keys import DERIVED, GUARDED, surfaces
from radcap.vocabulary.linking.mentions import How
from radcap.vocabulary.words import cased

if TYPE_CHECKING:
    from radcap.core import Cui
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Case", "Choice", "Choices"]

_MOST = 500_000  # choices kept in memory
_KEPT = 200  # letters of the longest text a choice is kept for
_WORD = 3  # letters of the shortest common word


class Case(StrEnum):
    """What the case of a text has to do with a short name."""

    FITS = "fits"  # it is written as the name is
    TELLS_NOTHING = "tells nothing"  # the whole text is in capitals: common words are no names then
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Choice:
    """A concept and what else it could have been."""

    cui: Cui
    name: str
    types: tuple[str, ...]
    how: How
    others: tuple[Cui, ...]


class Choices:
    """Choices in one vocabulary, each made once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._made: dict[tuple[int, str, Case], Choice | None] = {}

    def of(self, node: int, text: str, case: Case = Case.FITS) -> Choice | None:
        """The concept of a node for these words; nothing where their case does not fit."""
        key = (node, text, case)
        try:
            return self._made[key]
        except KeyError:
            choice = self._choose(node, text, case)
        if len(text) <= _KEPT:
            if len(self._made) >= _MOST:
                self._made.clear()
            self._made[key] = choice
        return choice

    def _choose(self, node: int, text: str, case: Case) -> Choice | None:
        ends = [
            (place, name, marks)
            for place, name, marks in self._vocabulary.ends(node)
            if not marks & GUARDED or self._case_fits(name, text, case)
        ]
        if not ends:
            return None
        ends.sort(key=lambda end: (end[2] & DERIVED, not end[2] & GUARDED))
        (place, _, marks), *others = ends
        return Choice(
            self._vocabulary.cui_at(place),
            self._vocabulary.name_at(place),
            self._vocabulary.types_at(place),
            How.VARIANT if marks & DERIVED else How.NAME,
            tuple(map(self._vocabulary.cui_at, dict.fromkeys(one for one, _, _ in others if one != place))),
        )

    def _case_fits(self, name: int, text: str, case: Case) -> bool:
        word = cased(text)
        if case is Case.ANY:
            return True
        if word.lower() in _common_words() and (case is Case.TELLS_NOTHING or not word.isupper()):
            return False
        if case is Case.TELLS_NOTHING:
            return True
        return any(
            one == word or (_is_plain(one) and _is_plain(word))
            for one in surfaces(self._vocabulary.names[name])
        )


def _is_plain(word: str) -> bool:
    """Whether this is written as common words are: 'Rib' is found in 'ribs', 'Mg' not in 'mg'."""
    return len(word) >= _WORD and word in {word.lower(), word.capitalize()}


@cache
def _common_words() -> frozenset[str]:
    """Words that are no abbreviations even in capitals."""
    listed = files("radcap").joinpath("data", "words", "stopwords_english.txt").read_text("utf-8")
    return frozenset(listed.split())
