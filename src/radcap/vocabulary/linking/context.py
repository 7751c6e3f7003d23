"""Which words of a text are said to be absent, and which to be uncertain.

After ConText (Harkema and others, 2009): triggers before and behind what they speak of, phrases that only
look like triggers are added for captions: a comma ends
what a trigger speaks of unless a list goes on behind it, and the place of a finding is not denied with it.
Invariant: a mark never leaves the sentence of its trigger, and a trigger does not mark its own words, apart
from those that say what a scan was made without.
>>> from radcap.vocabulary.linking.word_rows import read_words
>>> row = read_words(["CT without effusion or nodules in the lung, possible cyst"])
>>> negated, uncertain = Context.english().marks(row)
>>> [word for word, mark in zip(row.words, negated) if mark]
['effusion', 'or', 'nodules']
>>> [word for word, mark in zip(row.words, uncertain) if mark]
['cyst']
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.linking.triggers import DOUBTS, NEGATES, Reach, Role, Triggers, read_english

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.vocabulary.linking.triggers import Found, Trigger
    from radcap.vocabulary.linking.word_rows import WordRow

__all__ = ["Context"]

_ENDS, _ENDS_FOLLOWING = int(Role.ENDS), int(Role.ENDS_FOLLOWING)
_STOPS = _ENDS | _ENDS_FOLLOWING
_STOPS_DOUBT = _STOPS | int(Role.NEGATES_FOLLOWING)  # 'possible fracture without displacement'
_STOPS_BACK = _ENDS | NEGATES | DOUBTS
_DASH = re.compile(r":|\s[\u2013\u2014-]\s|\u2014")
_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_OR = frozenset({"or", "nor"})
_AND = frozenset({"and", "or", "nor"})
_THE = re.compile(r"\bthe\b")
_OPENING = {"and": _ARTICLE, "of": _THE, "to": _THE}  # 'signs of a tumour' are of what they are signs of
_AUXILIARY = frozenset(
    {"is", "are", "was", "were", "has", "have", "had", "be", "been", "can", "could", "also"}
)
_SINGULAR = frozenset({"is", "was", "has"})
_ASKING = frozenset({"what", "where", "which", "who", "why", "how"})


class Context:
    """Triggers and how far they reach."""

    def __init__(self, triggers: Triggers, reach: Reach | None = None, version: int = 0) -> None:
        self.version = version  # of the lists that ship with radcap; 0 for others
        self._triggers = triggers
        self._reach = reach or Reach()

    @classmethod
    def of(cls, phrases: Mapping[str, Sequence[str]], reach: Reach | None = None) -> Context:
        """A context of other phrases, listed by the name of their role."""
        return cls(Triggers(phrases), reach)

    @classmethod
    def english(cls) -> Context:
        """The one that ships with radcap."""
        return _english()

    def marks(self, row: WordRow) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each word of a row whether it is negated, and whether it is uncertain."""
        negated, uncertain = (np.zeros(len(row.words), np.bool_) for _ in range(2))
        found = self._triggers.find(row)
        scopes = _Scopes(row, found, self._reach)
        for one in found.acting:
            if one.role & NEGATES:
                for start, end in scopes.negated(one):
                    negated[start:end] = True
            if one.role & DOUBTS:
                for start, end in scopes.doubted(one):
                    uncertain[start:end] = True
        for start, end in scopes.asked() if "?" in row.text else ():
            uncertain[start:end] = True
        return negated, uncertain


@cache
def _english() -> Context:
    return Context(*read_english())


class _Scopes:
    """What the triggers of a row speak of, as ranges of words."""

    def __init__(self, row: WordRow, found: Found, reach: Reach) -> None:
        self._row = row
        self._words = row.words
        self._reach = reach
        self._starting, self._ending = found.starting, found.ending

    def negated(self, one: Trigger) -> Iterator[tuple[int, int]]:
        """The words a trigger says are absent."""
        if one.role & Role.NO_TRIGGER_BEFORE_NUMBERS and self._is_number(one.end):
            return
        if one.role & Role.NEGATES_ITSELF:
            yield one.start + 1, one.end
        elif one.role & Role.NEGATES_NEXT:
            yield self._next(one)
        elif one.role & Role.NEGATES_FOLLOWING and not self._looks_back(one, Role.NEGATES_PRECEDING):
            yield self._following(one.end, one.start, self._reach.following)
        else:
            yield self._preceding(one.start, one.start, self._reach.preceding)

    def doubted(self, one: Trigger) -> Iterator[tuple[int, int]]:
        """The words a trigger says are uncertain."""
        if one.role & Role.DOUBTS_AROUND:
            if self._words[one.start].isupper():
                return  # VS is the ventricular septum
            yield self._following(one.end, one.start, self._reach.around, _STOPS_DOUBT)
            yield self._preceding(one.start, one.start, self._reach.around)
        elif one.role & Role.DOUBTS_FOLLOWING and not self._looks_back(one, Role.DOUBTS_PRECEDING):
            yield self._following(one.end, one.start, self._reach.following, _STOPS_DOUBT)
        else:
            yield self._preceding(one.start, one.start, self._reach.preceding)

    def asked(self) -> Iterator[tuple[int, int]]:
        """The words that a question mark right beside them makes uncertain: 'abscess?' and '?abscess'."""
        starts, ends = self._row.start, self._row.end
        for match in re.finditer(r"\?", self._row.text):
            before, behind = np.searchsorted(ends, match.start()), np.searchsorted(starts, match.end())
            if before < len(ends) and ends[before] == match.start():
                if self._word(self._sentence_start(int(before))) not in _ASKING:
                    yield self._preceding(int(before) + 1, int(before), self._reach.preceding)
            elif behind < len(starts) and starts[behind] == match.end():
                yield self._following(int(behind), int(behind), self._reach.following, _STOPS_DOUBT)

    def _is_number(self, place: int) -> bool:
        return place < len(self._words) and self._words[place][0].isdigit()

    def _looks_back(self, one: Trigger, role: Role) -> bool:
        """Whether a trigger of both kinds speaks of what precedes: 'absent kidney', but 'kidney absent'."""
        if not one.role & role:
            return False
        if one.end >= self._sentence_end(one.start) or not self._row.joined[one.end]:
            return True
        return self._word(one.end) in _AND or bool(self._starting[one.end] & _STOPS)

    def _next(self, one: Trigger) -> tuple[int, int]:
        """One word behind a trigger, over adverbs; more where an article says that a noun follows."""
        place, last = one.end, self._sentence_end(one.start)
        while place + 1 < last and self._word(place).endswith("ly"):
            place += 1
        if place >= last or not self._row.joined[place]:
            return place, place
        if _ARTICLE.search(self._gap(place)):
            return self._following(place, one.start, self._reach.following)
        return place, place + 1

    def _following(self, start: int, inside: int, reach: int, stops: int = _STOPS) -> tuple[int, int]:
        """The words from a place on, up to what ends them in the sentence of a word."""
        last = min(self._sentence_end(inside), start + reach)
        depth, listing = 0, False
        for place, role in enumerate(self._starting[start:last].tolist(), start):
            gap = self._gap(place) if place > inside else ""
            depth += gap.count("(") - gap.count(")")
            if role & stops or depth < 0 or _DASH.search(gap) or self._opens(place, last):
                return start, place
            if "," in gap:
                if not (listing and self._word(place) in _AND) and not self._list_goes_on(place, last):
                    return start, place
                listing = True
        return start, last

    def _opens(self, place: int, last: int) -> bool:
        """Whether something else begins: 'no effusion and the heart', 'no thickening of the wall'."""
        opener = _OPENING.get(self._word(place))
        if opener is None or place + 1 >= last or self._ending[place]:
            return False  # 'presence of the' is a phrase
        return opener.search(self._gap(place + 1)) is not None

    def _list_goes_on(self, place: int, last: int) -> bool:
        """Whether the words behind a comma belong to a list: 'no mass, effusion, or nodes'."""
        if self._word(place) == "and":
            return False
        if place + 1 < last and self._word(place + 1) == "and" and not self._opens(place + 1, last):
            return True
        for one, role in enumerate(self._starting[place:last].tolist(), place):
            if role & _STOPS:
                return False
            if self._word(one) in _OR:
                return True
        return False

    def _preceding(self, end: int, inside: int, reach: int) -> tuple[int, int]:
        """The words before a place, down to what ends them in the sentence of a word, without places."""
        first = max(self._sentence_start(inside), end - reach)
        while end - 1 > first and self._word(end - 1) in _AUXILIARY:
            end -= 1  # 'was' in 'was not seen' ends nothing
        upper = end
        for place in range(end - 1, first - 1, -1):
            role = int(self._ending[place])
            if role & _STOPS_BACK or (place + 1 < end and self._parts(place + 1, end)):
                first = place + 1
                break
            if place > first and (role & _ENDS_FOLLOWING or self._opens(place, end)):
                upper = place  # what stands behind it
        return first, upper

    def _parts(self, place: int, end: int) -> bool:
        """Whether what stands before a word is not meant by a trigger behind it."""
        gap = self._gap(place)
        if "(" in gap or _DASH.search(gap):
            return True
        if self._word(place) == "and" and self._word(end) in _SINGULAR:
            return True  # 'effusion and fracture is absent' denies one of them
        return "," in gap and _AND.isdisjoint(map(str.lower, self._words[place:end]))

    def _word(self, place: int) -> str:
        return self._words[place].lower()

    def _gap(self, place: int) -> str:
        """What stands before a word."""
        return self._row.text[int(self._row.end[place - 1]) : int(self._row.start[place])] if place else ""

    def _sentence_start(self, place: int) -> int:
        return int(np.searchsorted(self._row.sentence, int(self._row.sentence[place])))

    def _sentence_end(self, place: int) -> int:
        return int(np.searchsorted(self._row.sentence, int(self._row.sentence[place]), side="right"))
