"""Phrases that must not be written, others for each image, unless they are part of an allowed longer one.

Invariant: a token is forbidden where it would complete a banned phrase, except inside what may become an
allowed phrase around it ('effusion' after 'pleural'). Where such a phrase has been begun and the banned one
is out ('lung' of 'lung cancer'), only the tokens that go on with it are allowed, until it is whole. A banned
phrase that got through (the end of a caption can be forced) binds nothing any more.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.generation.controls import FORBIDDEN
from radcap.captioning.generation.phrase_bounds import PhraseStates
from radcap.captioning.generation.phrase_index import PhraseIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from radcap.captioning.generation.phrase_bounds import Bools, Bounds
    from radcap.captioning.generation.ragged import Ints

__all__ = ["PhraseBan", "phrase_ban"]


class PhraseBan:
    """A control; `banned` and `allowed` (images x phrases) say what each phrase of the index is for an image.

    Phrases are looked up without a GPU: the last few tokens go there, and what is forbidden comes back.
    """

    def __init__(self, index: PhraseIndex, banned: Bools, allowed: Bools) -> None:
        self._index = index
        self._states = PhraseStates(index, banned, allowed)
        self._words = torch.from_numpy(_words(index, banned, allowed))

    def __call__(self, written: torch.Tensor, logits: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        if not len(self._index):
            return logits
        rows, texts = images.cpu(), self._texts(written)
        near, ends = rows.numpy(), self._index.trie.ends(texts[:, self._index.trie.longest :])
        row, item = self._states.around(ends, near, self._index.starts)
        lifted = row, self._index.starts.inner[item]
        self._forbid_words(logits, rows, *lifted)
        self._forbid_phrases(logits, ends, near, *lifted)
        bounds = self._states.bounds(texts, ends, near)
        return logits if bounds is None else _bound(logits, bounds)

    def _mask(self, size: int) -> torch.Tensor:
        """Forbidden words, images x size; how many tokens there are is known from the first call on."""
        if self._words.shape[1] != size:
            self._words = F.pad(self._words, (0, size - self._words.shape[1]))
        return self._words

    def _texts(self, written: torch.Tensor) -> Ints:
        """The last tokens of each caption, with begin marks before its beginning."""
        width = 2 * self._index.trie.longest
        last = written[:, -width:].cpu()
        return F.pad(last, (width - last.shape[1], 0), value=self._index.begin).numpy()

    def _forbid_words(self, logits: torch.Tensor, images: torch.Tensor, row: Ints, lifted: Ints) -> None:
        """Phrases of one token, less those that are inside an allowed one in some row."""
        single = self._index.is_single[lifted]
        at = _at(row[single], self._index.last[lifted[single]], logits)
        kept = logits[at]
        logits.masked_fill_(self._mask(logits.shape[1])[images].to(logits.device), FORBIDDEN)
        logits[at] = kept

    def _forbid_phrases(self, logits: torch.Tensor, ends: Ints, near: Ints, row: Ints, lifted: Ints) -> None:
        """Phrases of several tokens that lack one, less the same."""
        inside = row * len(self._index) + lifted
        place, phrase = self._index.completed(ends.ravel())
        row = place // ends.shape[1]
        is_out = self._states.banned[near[row], phrase]
        is_out &= ~np.isin(row * len(self._index) + phrase, inside)
        logits[_at(row[is_out], self._index.last[phrase[is_out]], logits)] = FORBIDDEN


def phrase_ban(
    banned: Sequence[Collection[Sequence[int]]],
    allowed: Sequence[Collection[Sequence[int]]] | None = None,
    begin: int = -1,
) -> PhraseBan:
    """From the sequences of tokens that are banned, and those that are allowed, in the caption of each image.

    A sequence that starts with the begin mark is met at the beginning of a caption only; -1 is no mark.
    """
    allowed = allowed or [()] * len(banned)
    index = PhraseIndex([phrase for image in (*banned, *allowed) for phrase in image], begin)
    return PhraseBan(index, _table(banned, index), _table(allowed, index))


def _table(images: Sequence[Collection[Sequence[int]]], index: PhraseIndex) -> Bools:
    numbers = {phrase: number for number, phrase in enumerate(index.phrases)}
    table = np.zeros((len(images), len(index)), bool)
    for row, image in enumerate(images):
        table[row, [numbers[tuple(phrase)] for phrase in image if len(phrase)]] = True
    return table


def _words(index: PhraseIndex, banned: Bools, allowed: Bools) -> Bools:
    """Banned phrases of one token, images x tokens, less those that an allowed phrase begins with.

    They are forbidden nearly always, so that a mask is quicker than a list.
    """
    words = index.last[index.is_single]
    mask = np.zeros((len(banned), int(words.max(initial=-1)) + 1), bool)
    mask[:, words] = banned[:, index.is_single]
    begins = ~index.is_single & (index.first < mask.shape[1])
    image, phrase = np.nonzero(allowed & begins)
    mask[image, index.first[phrase]] = False
    return mask


def _bound(logits: torch.Tensor, bounds: Bounds) -> torch.Tensor:
    """Rows that are bound keep what they may go on with, and nothing else."""
    rows = torch.from_numpy(bounds.rows).to(logits.device)
    kept = logits.new_full((len(rows), logits.shape[1]), FORBIDDEN)
    places, tokens = _at(bounds.places, bounds.tokens, logits)
    kept[places, tokens] = logits[rows[places], tokens]
    logits[rows] = kept
    return logits


def _at(rows: Ints, tokens: Ints, logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.from_numpy(rows).to(logits.device), torch.from_numpy(tokens).to(logits.device)
