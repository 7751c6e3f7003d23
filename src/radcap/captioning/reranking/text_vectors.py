"""Texts as vectors: by words whose vectors were learnt from the training captions, or by an encoder.

Invariant: a vector has length 1, or 0 where nothing is known of a text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from radcap.captioning.texts.word_vectors import fit_word_vectors, load_word_vectors, units
from radcap.captioning.texts.words import spoken_words
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.captioning.reranking.reranker import Floats, Source
    from radcap.captioning.texts.word_vectors import WordVectors

__all__ = ["TextVectors", "WordTexts", "by_image", "check_words", "word_texts"]

_FILE = "words.safetensors"
_TIMES = 2  # a word that is said once has no vector


class TextVectors(Protocol):
    """Makes a vector of each text."""

    def __call__(self, texts: Sequence[str]) -> Floats: ...
    def save(self, folder: Path) -> None: ...


@dataclass(frozen=True, slots=True)
class WordTexts:
    """The mean of the words that are known."""

    words: WordVectors

    @property
    def width(self) -> int:
        return self.words.matrix.shape[1]

    def __call__(self, texts: Sequence[str]) -> Floats:
        held = [self.words.of(one) for one in texts]
        return units(np.array(held, np.float32).reshape(len(texts), self.width))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.words.save(folder / _FILE)


def word_texts(source: Source) -> WordTexts:
    """Learnt from the training captions, or as they were learnt before."""
    if source.lessons is None:
        return WordTexts(load_word_vectors(source.folder / _FILE))
    return WordTexts(fit_word_vectors(source.lessons.captions, seed=source.lessons.seed))


def check_words(captions: Sequence[str]) -> None:
    """Refuse captions that no word can be learnt from."""
    said = Counter(word for caption in captions for word in spoken_words(caption))
    if not said or max(said.values()) < _TIMES:
        raise UsageError(
            "[rerank] learns vectors of words from the training captions, and none of them is said twice."
            " Give [rerank] model, or more captions."
        )


def by_image(drafts: Sequence[Sequence[str]], vectors: TextVectors) -> list[Floats]:
    """The vectors of the drafts of each image; each text is looked at once."""
    known = {text: place for place, text in enumerate(dict.fromkeys(one for some in drafts for one in some))}
    found = vectors([*known])
    return [found[[known[one] for one in some]] for some in drafts]
