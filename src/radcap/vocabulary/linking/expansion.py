"""Abbreviations that a text explains: 'superior mesenteric artery (SMA)'.

Invariant: what a text says of an abbreviation goes before what a vocabulary says. Where the long form names
a concept, each occurrence of the short form does; where it names none, a reading of the vocabulary is kept
only if it has words in common with the long form. A single word explains only what no vocabulary knows: the
letters of CT are also found in 'the chest (CT)'.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from radcap.vocabulary.linking.abbreviations import definitions
from radcap.vocabulary.linking.mentions import How, Mention
from radcap.vocabulary.words import ARTICLES, normal, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from radcap.core import Cui
    from radcap.vocabulary.linking.abbreviations import Definition

__all__ = ["expand"]

_MOST = 50  # abbreviations of one text; each is looked for in the whole text
_SMALL = ARTICLES | {"of", "and", "in", "by", "with", "for", "on", "to"}


def expand(
    text: str,
    mentions: list[Mention],
    names: Callable[[Cui], Iterable[str]],
    marks: Callable[[int], tuple[bool, bool]],
) -> list[Mention]:
    """The mentions of a text with its own abbreviations taken into account.

    `names` gives the names of a concept, `marks` tells whether a place is negated, and uncertain.
    """
    said: dict[str, list[Definition]] = {}
    for one in definitions(text):
        said.setdefault(one.short, []).append(one)
    for short, ones in list(said.items())[:_MOST]:
        places = set(_places(text, short))
        cuis = {hit.cui for hit in mentions if (hit.start, hit.end) in places}
        longs = [_words(text[one.long_start : one.long_end]) for one in ones[:_MOST]]
        if cuis and max(map(len, longs)) == 1:
            continue
        meant = next((hit for one in ones[:_MOST] if (hit := _meant(one, mentions))), None)
        if meant is not None:
            others = [hit for hit in mentions if (hit.start, hit.end) not in places]
            mentions = [*others, *_short_forms(text, meant, sorted(places), others, marks)]
            mentions.sort(key=lambda hit: hit.start)
        else:
            others = {cui for cui in cuis if not _shares(longs[0], names(cui))}
            mentions = [
                _otherwise(hit) if hit.cui in others and (hit.start, hit.end) in places else hit
                for hit in mentions
            ]
    return mentions


def _meant(one: Definition, mentions: list[Mention]) -> Mention | None:
    """The mention that covers the whole long form."""
    following = bisect_right(mentions, one.long_start, key=lambda hit: hit.start)
    for place in range(following - 1, -1, -1):
        if mentions[place].kept:  # those that are kept stand apart, so it is this one or none
            return mentions[place] if one.long_end <= mentions[place].end else None
    return None


def _places(text: str, short: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", text):
        yield match.span()


def _short_forms(
    text: str,
    meant: Mention,
    places: list[tuple[int, int]],
    others: list[Mention],
    marks: Callable[[int], tuple[bool, bool]],
) -> Iterator[Mention]:
    """A mention for each occurrence that no longer name covers; places and mentions are in their order."""
    ends = list(accumulate((hit.end for hit in others), max))
    starts = [hit.start for hit in others]
    for start, end in places:
        before = bisect_left(starts, end)  # so many begin before the occurrence ends
        if before and ends[before - 1] > start:
            continue
        negated, uncertain = marks(start)
        yield replace(
            meant,
            start=start,
            end=end,
            text=text[start:end],
            how=How.ABBREVIATION,
            negated=negated,
            uncertain=uncertain,
            why=f"the text says it is {meant.text!r}",
        )


def _shares(long: set[str], names: Iterable[str]) -> bool:
    """Whether the long form has half of its words in common with the names of a concept."""
    known = {word for name in names for word in _words(name)}
    return 2 * len(long & known) >= len(long)


def _words(text: str) -> set[str]:
    return {normal(word) for word in split(text)[1::2]} - _SMALL


def _otherwise(hit: Mention) -> Mention:
    return replace(hit, kept=False, why="the text says it stands for something else")
