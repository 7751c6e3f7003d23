"""Only words of a list are written, whole, with commas and full stops between them.

A decoder whose favourite words are forbidden makes up others, piece by piece; here it cannot. Invariant: each
word of a caption is one of its image's list (as it is written there, or with a capital where the caption
begins), in the pieces that the tokenizer makes of it.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np
import torch

from radcap.captioning.generation.controls import FORBIDDEN
from radcap.captioning.generation.inside import pieces_inside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from radcap.captioning.tokens.tokenizer import Tokenizer

__all__ = ["Lexicon", "WordList"]

_MARKS = (".", ",")


@dataclass(slots=True, eq=False)
class _Node:
    """Pieces of words that begin alike."""

    after: dict[int, _Node] = field(default_factory=dict[int, "_Node"])
    whole: bool = False

    def add(self, tokens: Iterable[int]) -> None:
        node = self
        for token in tokens:
            node = node.after.setdefault(token, _Node())
        node.whole = True


@dataclass(slots=True, eq=False)
class _Words:
    """The words of a list at the beginning of a caption, and inside."""

    first: _Node = field(default_factory=_Node)
    inside: _Node = field(default_factory=_Node)


class Lexicon:
    """Lists of words as a tokenizer writes them; one that was made is remembered."""

    def __init__(self, tokenizer: Tokenizer, words: Collection[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._made: dict[frozenset[str], _Words] = {}
        self.common = self._listed(frozenset(words))
        self.marks = {tokens[-1] for mark in _MARKS if (tokens := tokenizer.encode(f"x{mark}"))}

    def control(self, more: Sequence[Collection[str]]) -> WordList:
        """The control for images that may write the common words, and these."""
        return WordList(self, [self._listed(frozenset(one)) for one in more], self._tokenizer.end)

    def _listed(self, words: frozenset[str]) -> _Words:
        if words not in self._made:
            made = _Words()
            for word in words:
                made.inside.add(pieces_inside(word, self._tokenizer))
                made.first.add(self._tokenizer.encode(word))
                made.first.add(self._tokenizer.encode(word[:1].upper() + word[1:]))
            self._made[words] = made
        return self._made[words]


@dataclass(frozen=True, slots=True, eq=False)
class _Spot:
    """Where a caption stands: at nodes of begun words, and whether it may end or go on with a mark."""

    nodes: tuple[_Node, ...]
    is_word: bool  # a word is whole here
    is_mark: bool = False  # a mark was just written


class WordList:
    """For one batch: each image has its own words beside the common ones."""

    def __init__(self, lexicon: Lexicon, own: Sequence[_Words], end: int) -> None:
        self._lexicon, self._own, self._end = lexicon, own, end
        self._spots: dict[tuple[int, tuple[int, ...]], _Spot] = {}

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        allowed = np.zeros(tuple(logits.shape), np.bool_)
        rows = cast("list[list[int]]", written.tolist())
        for row, (tokens, image) in enumerate(zip(rows, cast("list[int]", images.tolist()), strict=True)):
            allowed[row, list(self._allowed(self._spot(image, tuple(tokens)), image))] = True
        return logits.masked_fill(~torch.from_numpy(allowed).to(logits.device), FORBIDDEN)

    def _allowed(self, spot: _Spot, image: int) -> Iterator[int]:
        for node in spot.nodes:
            yield from node.after
        if spot.is_word:
            yield from self._lexicon.marks
        if spot.is_word or spot.is_mark:
            yield self._end
            for words in self._lists(image):
                yield from words.inside.after

    def _spot(self, image: int, tokens: tuple[int, ...]) -> _Spot:
        """Found from the spot before, which was asked for a step ago."""
        key = image, tokens
        if key not in self._spots:
            if not tokens:
                self._spots[key] = _Spot(tuple(one.first for one in self._lists(image)), is_word=False)
            else:
                self._spots[key] = self._next(self._spot(image, tokens[:-1]), tokens[-1], image)
        return self._spots[key]

    def _next(self, spot: _Spot, token: int, image: int) -> _Spot:
        begun = [node.after[token] for node in spot.nodes if token in node.after]
        if spot.is_word or spot.is_mark:
            roots = (words.inside for words in self._lists(image))
            begun += [root.after[token] for root in roots if token in root.after]
        is_mark = spot.is_word and token in self._lexicon.marks
        return _Spot(tuple(begun), is_word=any(node.whole for node in begun), is_mark=is_mark)

    def _lists(self, image: int) -> tuple[_Words, _Words]:
        return self._lexicon.common, self._own[image]
