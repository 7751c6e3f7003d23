"""The words of a caption, and which of them name a concept, with their places.

Invariant: places are of letters in the caption as it stands; spans of concepts do not overlap.
>>> [one.text for one in words_in("CT of the chest, axial.")]
['CT', 'of', 'the', 'chest', 'axial']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.captioning.grammar import phrase_of
from radcap.vocabulary import link

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radcap.captioning.tokens import Tokenizer
    from radcap.core import Cui

__all__ = ["Phrase", "concepts_in", "token_ends", "token_range", "words_in"]

_WORD = re.compile(r"[^\W_](?:[\w*/'\u2019-]*\w)?")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Some letters of a caption; `cui` is what they name."""

    start: int
    end: int
    text: str
    cui: Cui = ""


def words_in(caption: str) -> list[Phrase]:
    """Every word."""
    return [Phrase(one.start(), one.end(), one.group()) for one in _WORD.finditer(caption)]


def concepts_in(caption: str, said: Mapping[Cui, str], names: Mapping[Cui, str]) -> list[Phrase]:
    """The words that name concepts: those that were decided for (`said`) first, then others the model has."""
    found = sorted(_candidates(caption, said, names), key=lambda one: (one[0], one[1].start - one[1].end))
    kept: list[Phrase] = []
    for _, phrase in found:
        if all(phrase.end <= other.start or phrase.start >= other.end for other in kept):
            kept.append(phrase)
    return sorted(kept, key=lambda one: one.start)


def _candidates(
    caption: str, said: Mapping[Cui, str], names: Mapping[Cui, str]
) -> Iterator[tuple[int, Phrase]]:
    for cui, name in said.items():
        for words in dict.fromkeys((phrase_of(cui, name), name)):
            for one in (
                re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", caption, re.IGNORECASE) if words else ()
            ):
                yield 0, Phrase(one.start(), one.end(), one.group(), cui)
    for mention in link(caption):
        if not mention.negated and mention.cui in names:
            rank = 0 if mention.cui in said else 1
            yield rank, Phrase(mention.start, mention.end, mention.text, mention.cui)


def token_ends(tokenizer: Tokenizer, tokens: Sequence[int]) -> list[int]:
    """How many letters are written after each token."""
    return [len(tokenizer.decode(tokens[: place + 1])) for place in range(len(tokens))]


def token_range(ends: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """The tokens that write some letters, the first and the one after the last."""
    first = next((place for place, one in enumerate(ends) if one > start), len(ends) - 1)
    last = next((place for place, one in enumerate(ends) if one >= end), len(ends) - 1)
    last = max(first, last)
    while last + 1 < len(ends) and ends[last + 1] == ends[last]:  # a letter may be several tokens
        last += 1
    return first, last + 1
