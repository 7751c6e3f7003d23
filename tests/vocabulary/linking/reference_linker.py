"""Linking by brute force, in plain Python: all spans of words against a dictionary of names.

It shares with radcap only the normal form of a word, the variants of a name, the list of prefixes and what a
text says of its own abbreviations; each of these has tests of its own. Negation is left out.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from radcap.vocabulary.linking.expansion import expand
from radcap.vocabulary.linking.mentions import How, Mention
from radcap.vocabulary.words import data_file, normal, prefixes, variants

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Said", "link", "said"]

LEFT_OUT = ("a", "an", "An", "the", "The", "THE")
HYPHENS = "-\u2010\u2011\u2012\u2013"
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\ufe0f"
STOPWORDS = set(data_file("..", "words", "stopwords_english.txt").read_text("utf-8").split())

Said = tuple[int, int, str, str, str, str, tuple[str, ...]]
Concepts = "Mapping[str, Sequence[str]]"


def said(mentions: Sequence[Mention]) -> list[Said]:
    """What is compared."""
    return [(one.start, one.end, one.text, one.cui, one.name, one.how.value, one.others) for one in mentions]


class Token(NamedTuple):
    start: int
    end: int
    word: str
    joined: bool  # to the token before


def is_inner(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M" or sign in UNSEEN[:6]


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        if not text[at].isalnum():
            at += 1
            continue
        end = at
        while end < len(text) and (text[end].isalnum() or is_inner(text[end])):
            end += 1
        tail = text[end : end + 2]
        if tail in ("'s", "'S", "\u2019s", "\u2019S") and not text[end + 2 : end + 3].isalnum():
            end += 2
        found.append(Token(at, end, text[at:end], bool(found) and is_joined(text, found[-1], at)))
        at = end
    return found


def is_joined(text: str, before: Token, start: int) -> bool:
    gap = text[before.end : start]
    if gap.rstrip() == ".":
        both_digits = before.word[-1].isdigit() and text[start].isdigit()
        return len(before.word) == 1 or (gap == "." and both_digits)
    if gap.count("\n") > 1:
        return False
    bare = "".join(sign for sign in gap if not is_inner(sign) and sign not in UNSEEN).strip()
    return bare in ("", "/", "+", "'", "\u2019", *HYPHENS)


def without_articles(row: list[Token]) -> list[Token]:
    """A token is joined to the one before an article if every gap between them joins."""
    kept: list[Token] = []
    joined = True
    for one in row:
        joined = joined and one.joined
        if one.word not in LEFT_OUT:
            kept.append(one._replace(joined=joined))
            joined = True
    return kept


class Key(NamedTuple):
    words: tuple[str, ...]
    derived: bool
    written: str | None  # for names that need their case


def bare(word: str) -> str:
    """The word in its case, without marks and the s of an owner or of several."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", word) if not is_inner(one))
    if plain[-2:] in ("'s", "'S", "\u2019s", "\u2019S"):
        return plain[:-2]
    if len(plain) > 2 and plain[-1] == "s" and plain[:-1].isupper() and plain.isascii() and plain.isalpha():
        return plain[:-1]
    return plain


def keys(name: str) -> Iterator[Key]:
    for derived, form in ((False, name), *((True, one) for one in variants(name))):
        row = tokens(form)
        words = [one.word for one in row if one.word not in LEFT_OUT]
        if len(words) == 1:
            word = bare(words[0])
            if len(word) < 2 or word.isdigit():
                continue
            needs_case = len(word) <= 3 or (len(word) <= 6 and any(map(str.isupper, word[1:])))
            yield Key((normal(words[0]),), derived, word if needs_case else None)
        elif 0 < len(words) <= 20:
            yield Key(tuple(map(normal, words)), derived, None)
        else:
            continue
        fused = fuse(form, row)
        if fused:
            yield Key(tuple(normal(one) for one in fused if one not in LEFT_OUT), derived, None)


def fuse(form: str, row: list[Token]) -> list[str]:
    words: list[str] = []
    for before, one in zip([None, *row], row):  # noqa: B905 - the last has none behind it
        hyphen = before is not None and form[before.end : one.start] in tuple(HYPHENS)
        if hyphen and words[-1].lower() in prefixes() and len(one.word) > 2:
            words[-1] += one.word
        else:
            words.append(one.word)
    return words if len(words) < len(row) else []


@dataclass(frozen=True)
class End:
    derived: bool
    guarded: bool
    rank: int
    cui: str
    name: str
    written: str | None


class Layer:
    def __init__(self, concepts: Mapping[str, Sequence[str]]) -> None:
        self.concepts = concepts
        self.ends: dict[tuple[str, ...], list[End]] = {}
        made = [
            (key, cui, rank, name)
            for cui, names in concepts.items()
            for rank, name in enumerate(names)
            for key in keys(name)
        ]
        known = {word for key, *_ in made for word in key.words}
        for key, cui, rank, name in made:
            self.add(key.words, End(key.derived, key.written is not None, rank, cui, name, key.written))
            apart = tuple(part for word in key.words for part in take_apart(word, known))
            if apart != key.words and len(apart) <= 20:
                self.add(apart, End(key.derived, False, rank, cui, name, None))

    def add(self, words: tuple[str, ...], end: End) -> None:
        self.ends.setdefault(words, []).append(end)

    def choose(self, words: tuple[str, ...], text: str, shouted: bool) -> tuple[End, tuple[str, ...]] | None:
        fitting = [one for one in self.ends.get(words, ()) if not one.guarded or fits(one, text, shouted)]
        fitting.sort(key=lambda one: (one.derived, not one.guarded, one.rank, one.cui))
        if not fitting:
            return None
        cuis = dict.fromkeys(one.cui for one in fitting)
        return fitting[0], tuple(cui for cui in cuis if cui != fitting[0].cui)


def take_apart(word: str, known: set[str]) -> tuple[str, ...]:
    for cut in range(len(word) - 3, 0, -1):  # the longest prefix counts
        if word[:cut] in prefixes() and word[cut:] in known:
            return word[:cut], word[cut:]
    return (word,)


def fits(end: End, text: str, shouted: bool) -> bool:
    word = bare(text)
    if word.lower() in STOPWORDS and (shouted or not word.isupper()):
        return False
    return shouted or end.written == word or all(map(is_plain, (end.written or "", word)))


def is_plain(word: str) -> bool:
    return len(word) > 2 and word in (word.lower(), word.capitalize())


def link(layers: Sequence[Layer], text: str) -> list[Mention]:
    row = without_articles(tokens(text))
    candidates = []
    for number, layer in enumerate(layers):
        for first in range(len(row)):
            for last in range(first + 1, len(row) + 1):
                if last > first + 1 and not row[last - 1].joined:
                    break
                start, end = row[first].start, row[last - 1].end
                words = tuple(normal(one.word) for one in row[first:last])
                choice = layer.choose(words, text[start:end], text.isupper())
                if choice:
                    candidates.append((first - last, first, number, start, end, choice))
    taken: set[int] = set()
    found = []
    for size, first, number, start, end, (choice, others) in sorted(candidates, key=lambda one: one[:3]):
        if taken.isdisjoint(range(first, first - size)):
            taken.update(range(first, first - size))
            how = How.VARIANT if choice.derived else How.NAME
            name = layers[number].concepts[choice.cui][0]
            found.append(Mention(start, end, text[start:end], choice.cui, name, how=how, others=others))
    found.sort(key=lambda one: one.start)
    expanded = expand(text, found, lambda cui: names_of(layers, cui), lambda place: (False, False))
    return [one for one in expanded if one.kept]


def names_of(layers: Sequence[Layer], cui: str) -> list[str]:
    return [name for layer in layers for name in layer.concepts.get(cui, ())]
