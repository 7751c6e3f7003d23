"""Vectors of words, learnt from captions alone: which words are said in the same places.

Invariant: nothing is downloaded; rows have length 1 (or 0, where a word tells nothing), and the same captions
and seed give the same vectors. A word that is not known has the cosine 0 to all others.
>>> vectors = fit_word_vectors(["mass in the liver", "mass in the lung", "cyst in the liver"] * 2, width=2)
>>> "liver" in vectors, "heart" in vectors
(True, False)
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from radcap.captioning.texts.pair_tables import PairTable, leading_vectors, positive_information
from radcap.captioning.texts.words import spoken_words
from radcap.core import InputError
from radcap.detection.retrieval.tensors import open_tensors, write_tensors
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

__all__ = ["WordVectors", "fit_word_vectors", "load_word_vectors"]

Floats: TypeAlias = NDArray[np.float32]

_WINDOW = 5  # words either way
_TIMES = 2  # a word that is said once is not learnt
_MOST = 20_000  # words, the most frequent
_MATRIX = "vectors"
_AXES = 2


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Words, the most frequent first, and a row for each."""

    words: tuple[str, ...]
    matrix: Floats
    _places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {word: place for place, word in enumerate(self.words)})

    def __contains__(self, word: str) -> bool:
        return word in self._places

    def rows(self, words: Iterable[str]) -> Floats:
        """Of the words that are known, in their order."""
        return self.matrix[[self._places[word] for word in words if word in self._places]]

    def of(self, text: str) -> Floats:
        """The mean of the words of a text; zeros where none is known."""
        rows = self.rows(spoken_words(text))
        mean: Floats = rows.sum(axis=0) / max(len(rows), 1)
        return mean

    def cosines(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        """Of each text (or word) of the one with each of the other."""
        return self._units(a) @ self._units(b).T

    def _units(self, texts: Sequence[str]) -> Floats:
        held = np.array([self.of(one) for one in texts], np.float32).reshape(len(texts), self.matrix.shape[1])
        return units(held)

    def save(self, path: Path) -> None:
        """The matrix as safetensors, and the words in a JSON file of the same name beside it."""
        write_tensors({_MATRIX: self.matrix}, path)
        with replacing(path.with_suffix(".json")) as part:
            part.write_text(json.dumps({"words": self.words}, ensure_ascii=False), encoding="utf-8")


def fit_word_vectors(captions: Iterable[str], width: int = 100, seed: int = 0) -> WordVectors:
    """Of the words that captions say at least twice; fewer words than `width` have so many dimensions."""
    said = [spoken_words(caption) for caption in captions]
    counts = Counter(word for words in said for word in words)
    ordered = sorted((word for word in counts if counts[word] >= _TIMES), key=lambda one: (-counts[one], one))
    known = {word: place for place, word in enumerate(islice(ordered, _MOST))}
    table = PairTable.of(len(known), _beside(said, known))
    vectors = leading_vectors(positive_information(table), width, seed)
    return WordVectors(tuple(known), units(vectors.astype(np.float32)))


def load_word_vectors(path: Path) -> WordVectors:
    """What was saved; files that do not fit each other are refused."""
    words = _words(path.with_suffix(".json"))
    matrix = open_tensors(path).get(_MATRIX)
    if matrix is None or matrix.ndim != _AXES or len(matrix) != len(words) or not np.isfinite(matrix).all():
        raise _refused(path, f"it holds no finite row {_MATRIX!r} for each of {len(words):,} words")
    return WordVectors(words, np.array(matrix, np.float32))


def units(rows: Floats) -> Floats:
    """The rows in length 1; what has no direction stays zero."""
    lengths = np.sqrt(np.vecdot(rows, rows))[:, None]
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _beside(
    said: Sequence[Sequence[str]], known: dict[str, int]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The pairs of words at each distance, of what is left when unknown words are left out."""
    rows = [[known[word] for word in words if word in known] for words in said]
    words = np.array([word for row in rows for word in row], np.int64)
    owner = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    for far in range(1, _WINDOW + 1):
        together = owner[far:] == owner[:-far]
        yield words[:-far][together], words[far:][together]


def _words(path: Path) -> tuple[str, ...]:
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(path, str(error)) from error
    words = cast("dict[str, Any]", told).get("words") if isinstance(told, dict) else None
    listed = cast("list[object]", words) if isinstance(words, list) else None
    if listed is None or not all(isinstance(one, str) for one in listed) or len(set(listed)) < len(listed):
        raise _refused(path, "it holds no list of different words under 'words'")
    return tuple(cast("list[str]", listed))


def _refused(path: Path, why: str) -> InputError:
    return InputError(
        f"{path} cannot be used: {why.rstrip('.')}. Fit the word vectors again.", path=str(path)
    )
