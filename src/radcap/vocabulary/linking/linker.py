"""From text to concepts.

>>> from radcap.vocabulary import open_vocabulary
>>> linker = Linker([open_vocabulary()])
>>> [(one.text, one.cui) for one in linker.link("CT of the chest with left pleural effusion")]
[('CT', 'C0040405'), ('chest', 'C0817096'), ('pleural effusion', 'C0032227')]

Texts are looked up many at a time: their words become one row of numbers, and the tries of all vocabularies
are walked for every word of the row at once.
Invariant: mentions come in the order of the text, and those that are kept do not overlap; the same text gives
the same mentions, alone or among others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from radcap.core import UsageError
from radcap.vocabulary.batching import in_batches
from radcap.vocabulary.linking.choosing import Case, Choices
from radcap.vocabulary.linking.context import Context
from radcap.vocabulary.linking.expansion import expand
from radcap.vocabulary.linking.mentions import Mention
from radcap.vocabulary.linking.overlaps import longest
from radcap.vocabulary.linking.tracing import add_dropped
from radcap.vocabulary.linking.word_rows import read_words
from radcap.vocabulary.words import normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.vocabulary.index.trie import Spans
    from radcap.vocabulary.linking.choosing import Choice
    from radcap.vocabulary.linking.word_rows import WordRow
    from radcap.vocabulary.vocabulary import Vocabulary

__all__ = ["Linker"]

_Marks: TypeAlias = "tuple[NDArray[np.bool_], NDArray[np.bool_]]"

_BATCH = 1 << 20  # letters that are looked up together
_MOST_WORDS = 1_000_000  # spellings kept in memory
_KEPT = 100  # letters of the longest spelling that is kept
_OTHER_CASE = "a short name in another case"


class Linker:
    """Finds the concepts of some vocabularies; an earlier one wins where two know the same words."""

    def __init__(self, vocabularies: Sequence[Vocabulary], *, context: Context | None = None) -> None:
        if not vocabularies:
            raise UsageError("A linker without a vocabulary finds nothing. Give it one or more.")
        self.vocabularies = tuple(vocabularies)
        self._layers = [_Layer(one) for one in vocabularies]
        self._given = context
        self._context = context or Context.english()

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Linker, self.vocabularies, context=self._given), ()

    def __enter__(self) -> Linker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """There is nothing to close; other extractors have processes."""

    def link(self, text: str, *, trace: bool = False) -> tuple[Mention, ...]:
        """The mentions of one text; with `trace` also those that were dropped, and why."""
        return self._batch([text], trace)[0]

    def extract(self, texts: Iterable[str], *, trace: bool = False) -> Iterator[tuple[Mention, ...]]:
        """The mentions of each text, many texts at a time."""
        for batch in in_batches(texts, len, letters=_BATCH):
            yield from self._batch(batch, trace)

    def _batch(self, texts: Sequence[str], trace: bool) -> list[tuple[Mention, ...]]:
        row = read_words(texts)
        found = self._find(row)
        refused = self._refused(row, found)
        usable = np.flatnonzero(~refused)
        stays = usable[longest(found.first[usable], found.count[usable])]
        marks = self._context.marks(row)
        mentions = self._mentions(row, found.only(stays), marks)
        for i, text in enumerate(texts):
            if mentions[i]:
                mentions[i] = expand(text, mentions[i], self._names, partial(_marks_at, row, marks, i))
        if not trace:
            return [tuple(one for one in hits if one.kept) for hits in mentions]
        covered = np.setdiff1d(usable, stays, assume_unique=True)
        add_dropped(mentions, self._mentions(row, found.only(covered), marks))
        add_dropped(mentions, self._mentions(row, found.only(refused), marks, Case.ANY), _OTHER_CASE)
        return [tuple(one) for one in mentions]

    def _find(self, row: WordRow) -> _Found:
        spans = [layer.find(row) for layer in self._layers]
        return _Found(
            np.concatenate([one.first for one in spans]),
            np.concatenate([one.count for one in spans]),
            np.concatenate([one.node for one in spans]),
            np.repeat(np.arange(len(spans)), [len(one) for one in spans]),
            np.concatenate([layer.needs_case(one) for layer, one in zip(self._layers, spans, strict=True)]),
        )

    def _refused(self, row: WordRow, found: _Found) -> NDArray[np.bool_]:
        """Which candidates are short names in another case."""
        refused = np.zeros(len(found.first), np.bool_)
        guarded = np.flatnonzero(found.guarded)
        chosen = self._chosen(row, found.only(guarded), Case.FITS)
        refused[guarded] = [choice is None for *_, choice in chosen]
        return refused

    def _mentions(
        self, row: WordRow, found: _Found, marks: _Marks, case: Case = Case.FITS
    ) -> list[list[Mention]]:
        """The mentions of each text, in its order."""
        found = found.only(np.lexsort((found.count, found.first)))
        negated, uncertain = (one[found.first].tolist() for one in marks)
        mentions: list[list[Mention]] = [[] for _ in row.shouted]
        chosen = self._chosen(row, found, case)
        for (number, start, end, text, choice), no, maybe in zip(chosen, negated, uncertain, strict=True):
            if choice is not None:
                about = choice.cui, choice.name, choice.types, choice.how
                mentions[number].append(Mention(start, end, text, *about, no, maybe, choice.others))
        return mentions

    def _chosen(
        self, row: WordRow, found: _Found, case: Case
    ) -> Iterator[tuple[int, int, int, str, Choice | None]]:
        """Of each candidate which text it stands in, where, its words, and what they name."""
        capitals = Case.TELLS_NOTHING if case is Case.FITS else case
        for number, start, end, before, layer, node in found.places(row):
            text = row.text[start:end]
            asked = capitals if row.shouted[number] else case
            choice = self._layers[layer].choices.of(node, text, asked)
            yield number, start - before, end - before, text, choice

    def _names(self, cui: Cui) -> Iterator[str]:
        """Every name of a concept in every layer."""
        for one in self.vocabularies:
            concept = one.concept(cui)
            if concept is not None:
                yield concept.name
                yield from concept.synonyms


class _Layer:
    """One vocabulary, with the words and choices met so far."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.choices = Choices(vocabulary)
        self._trie = vocabulary.trie
        self._guarded = vocabulary.guarded_words()
        self._numbers = _Numbers(vocabulary)

    def find(self, row: WordRow) -> Spans:
        numbers = np.fromiter(map(self._numbers.__getitem__, row.words), np.int64, len(row.words))
        return self._trie.walk(numbers, row.joined)

    def needs_case(self, spans: Spans) -> NDArray[np.bool_]:
        """Which spans lead to a name that is found only in its case: such names are one word."""
        guarded = spans.count == 1
        guarded[guarded] = self._guarded[spans.node[guarded]]
        return guarded


class _Numbers(dict[str, int]):
    """The number of each word as it is written, looked up once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._table = vocabulary.words

    def __missing__(self, word: str) -> int:
        number = self._table.number(normal(word))
        if len(word) <= _KEPT:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = number
        return number


@dataclass(frozen=True, slots=True)
class _Found:
    """Candidates of all layers: their words, what they name, and which layer says so."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    node: NDArray[np.int64]
    layer: NDArray[np.int64]
    guarded: NDArray[np.bool_]

    def only(self, kept: NDArray[np.int64] | NDArray[np.bool_]) -> _Found:
        return _Found(*(getattr(self, name)[kept] for name in _Found.__slots__))

    def places(self, row: WordRow) -> Iterator[tuple[int, int, int, int, int, int]]:
        """The text of each candidate, its start and end in the row, the start of that text, layer, node."""
        start, end = row.start[self.first], row.end[self.first + self.count - 1]
        number = np.searchsorted(row.texts, start, side="right") - 1
        columns = (number, start, end, row.texts[number], self.layer, self.node)
        return zip(*(one.tolist() for one in columns), strict=True)


def _marks_at(row: WordRow, marks: _Marks, text: int, place: int) -> tuple[bool, bool]:
    """Whether the word at a place of a text is negated, and uncertain; an article is neither."""
    at = int(row.texts[text]) + place
    word = int(np.searchsorted(row.start, at, side="right")) - 1
    if word < 0 or at >= row.end[word]:
        return False, False
    return bool(marks[0][word]), bool(marks[1][word])
