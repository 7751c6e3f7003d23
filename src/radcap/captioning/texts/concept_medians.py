"""How near captions come to the names of their concepts: MMCS, the median maximum cosine similarity.

Of each concept: the median, over the training captions that carry it, of the largest cosine between the mean
of the words of its name and a word of the caption (Kaliosis et al. 2024). Another name for the same is given
by the grammar, where no word of the first is known.
Invariant: a cosine below 0 is 0, as for a caption that has said nothing yet. A concept without a caption, or
without a word that is known, has no median.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from radcap.captioning.grammar import phrase_of
from radcap.captioning.texts.word_vectors import WordVectors, fit_word_vectors, load_word_vectors, units
from radcap.captioning.texts.words import spoken_words
from radcap.core import InputError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from radcap.core import Cui

__all__ = ["ConceptMedian", "ConceptMedians", "Tags", "fit_medians", "load_medians"]

Floats: TypeAlias = NDArray[np.float32]

_FILE = "dmmcs.safetensors"  # and dmmcs.json beside it
_CONCEPTS = "medians.json"


@dataclass(frozen=True, slots=True)
class ConceptMedian:
    """The words that a concept is known by, and its median."""

    name: str
    median: float


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """Concepts of one image: a row of length 1 for each, and its median."""

    centroids: Floats
    medians: Floats

    def __len__(self) -> int:
        return len(self.medians)

    def distance(self, nearest: Floats) -> Floats:
        """How far the largest cosines (... x tags) are from the medians: the sum of squares."""
        return np.square(nearest - self.medians).sum(axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class ConceptMedians:
    """Words, and of the concepts that can be told by them their medians."""

    vectors: WordVectors
    concepts: Mapping[Cui, ConceptMedian]

    def tags(self, cuis: Iterable[Cui]) -> Tags:
        """Those of some concepts that have a median."""
        known = [self.concepts[cui] for cui in cuis if cui in self.concepts]
        medians = np.array([one.median for one in known], np.float32)
        return Tags(_centroids(self.vectors, [one.name for one in known]), medians)

    def cosines(self, tags: Tags, word: str) -> Floats:
        """Of a word with each tag; nothing for one that is not known."""
        return nearest_cosines(tags.centroids, self.vectors.rows([word]))

    def save(self, folder: Path) -> None:
        """`dmmcs.safetensors` and `dmmcs.json` are the words, `medians.json` the concepts."""
        self.vectors.save(folder / _FILE)
        told = {cui: {"name": one.name, "median": one.median} for cui, one in self.concepts.items()}
        with replacing(folder / _CONCEPTS) as part:
            part.write_text(json.dumps(told, ensure_ascii=False, indent=0), encoding="utf-8")


def fit_medians(
    captions: Sequence[str], truth: NDArray[np.bool_], names: Mapping[Cui, str], seed: int = 0
) -> ConceptMedians:
    """From captions and the concepts that each carries (captions x names)."""
    vectors = fit_word_vectors(captions, seed=seed)
    called = [_known_name(vectors, cui, name) for cui, name in names.items()]
    centroids = _centroids(vectors, called)
    told: list[list[float]] = [[] for _ in called]
    for caption, carried in zip(captions, truth, strict=True):
        places = np.flatnonzero(carried)
        near = nearest_cosines(centroids[places], vectors.rows(set(spoken_words(caption))))
        for place, value in zip(places.tolist(), near.tolist(), strict=True):
            told[place].append(value)
    medians = {
        cui: ConceptMedian(name, float(np.median(values)))
        for cui, name, values in zip(names, called, told, strict=True)
        if name and values
    }
    return ConceptMedians(vectors, medians)


def load_medians(folder: Path) -> ConceptMedians:
    """What was saved in a folder; files that are damaged or do not fit each other are refused."""
    vectors, path = load_word_vectors(folder / _FILE), folder / _CONCEPTS
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(path, str(error).rstrip(".")) from error
    rows = cast("dict[str, Any]", told if isinstance(told, dict) else {"": told})
    return ConceptMedians(vectors, {cui: _concept(path, row) for cui, row in rows.items()})


def nearest_cosines(centroids: Floats, rows: Floats) -> Floats:
    """Of each centroid with the nearest of some rows."""
    return (centroids @ rows.T).max(axis=1, initial=0)


def _known_name(vectors: WordVectors, cui: Cui, name: str) -> str:
    """The name, or what the grammar calls it; nothing where no word of either is known."""
    return next((one for one in (name, phrase_of(cui, name)) if vectors.of(one).any()), "")


def _centroids(vectors: WordVectors, names: Sequence[str]) -> Floats:
    width = vectors.matrix.shape[1]
    return units(np.array([vectors.of(name) for name in names], np.float32).reshape(len(names), width))


def _concept(path: Path, row: object) -> ConceptMedian:
    told = cast("dict[str, object]", row) if isinstance(row, dict) else {}
    name, median = told.get("name"), told.get("median")
    if not isinstance(name, str) or not isinstance(median, float) or not 0 <= median <= 2:  # noqa: PLR2004 - a cosine, rounded
        raise _refused(path, "it holds no name and median for each concept")
    return ConceptMedian(name, median)


def _refused(path: Path, why: str) -> InputError:
    return InputError(f"{path} cannot be used: {why}. The model is damaged: get it again.", path=str(path))
