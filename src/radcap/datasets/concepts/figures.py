"""The concepts of a dataset in numbers: how frequent, where, with what, and whether captions agree.

>>> from radcap.datasets import load_dataset
>>> found = concept_figures(load_dataset("radiology-open"), ["C0032227"])
>>> found.concepts[0].name, found.concepts[0].images
('Pleural effusion disorder', 28)

Invariant: everything is counted from the records at hand; the vocabulary only adds words, types and
relatives, and finds concepts in captions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.datasets.concepts.association import LEVEL, wilson
from radcap.datasets.concepts.choosing import choose
from radcap.datasets.concepts.companions import Companions, companions
from radcap.datasets.concepts.labelling import Labelling
from radcap.datasets.concepts.mentions import Agreement, Mentions, find_mentions
from radcap.datasets.statistics.plain import plain
from radcap.vocabulary import Concept, Linker, open_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.statistics.counting import Partition
    from radcap.stats import Interval
    from radcap.vocabulary import Vocabulary

__all__ = [
    "ConceptFigures",
    "DatasetConcepts",
    "Named",
    "Part",
    "ReadConcepts",
    "concept_figures",
    "read_concepts",
]

TOP = 50


@dataclass(frozen=True, slots=True)
class Named:
    """A concept and its name, which may be empty."""

    cui: Cui
    name: str


@dataclass(frozen=True, slots=True)
class Part:
    """A split or a modality: its images, and how many of them have the concept."""

    name: str
    images: int
    of: int


@dataclass(frozen=True, slots=True)
class ConceptFigures:
    """One concept. `captions` only where captions were read and the vocabulary knows the concept."""

    cui: Cui
    name: str
    synonyms: tuple[str, ...]
    types: tuple[str, ...]  # TUIs
    parents: tuple[Named, ...]
    children: tuple[Named, ...]
    rank: int  # 1 is the most frequent
    images: int
    share: float
    interval: Interval  # of the share
    splits: tuple[Part, ...]
    modalities: tuple[Part, ...]
    beside: Companions
    captions: Agreement | None


@dataclass(frozen=True, slots=True)
class DatasetConcepts:
    """Some concepts of a dataset, and what they are taken from."""

    name: str
    images: int
    unique: int  # concepts that the dataset has
    captioned: int  # images with a caption that was read
    vocabulary: str
    level: float  # of the intervals
    concepts: tuple[ConceptFigures, ...]

    def to_json(self) -> dict[str, Any]:
        return plain(self)


@dataclass(frozen=True, slots=True)
class ReadConcepts:
    """The figures of some concepts with all they were counted from, which a page needs for its examples."""

    figures: DatasetConcepts
    labelling: Labelling
    mentions: Mentions
    linker: Linker


def concept_figures(
    dataset: Dataset, cuis: Sequence[str] = (), vocabulary: Vocabulary | None = None, *, top: int = TOP
) -> DatasetConcepts:
    """Count the concepts that are named, or the `top` most frequent; the vocabulary is the free one."""
    return read_concepts(dataset, cuis, vocabulary, top=top).figures


def read_concepts(
    dataset: Dataset,
    cuis: Sequence[str] = (),
    vocabulary: Vocabulary | None = None,
    *,
    top: int = TOP,
    progress: Callable[[str, int], None] | None = None,
) -> ReadConcepts:
    """The same, for a page; `progress` is told how many captions are read."""
    labelling = Labelling(dataset, vocabulary or open_vocabulary())
    codes = choose(labelling, cuis, top)
    linker = Linker([labelling.vocabulary])
    mentions = find_mentions(labelling, linker, progress)
    return ReadConcepts(_count(labelling, codes, mentions), labelling, mentions, linker)


def _count(labelling: Labelling, codes: Iterable[int], mentions: Mentions) -> DatasetConcepts:
    """The figures of these concepts."""
    stamp = labelling.vocabulary.stamp
    counted = _Counted(labelling, mentions)
    return DatasetConcepts(
        name=labelling.dataset.name,
        images=labelling.labels.images,
        unique=len(labelling),
        captioned=mentions.captioned,
        vocabulary=f"{stamp.name} {stamp.release}".strip(),
        level=LEVEL,
        concepts=tuple(counted.figures(code) for code in codes),
    )


class _Counted:
    """What is counted once for all concepts."""

    def __init__(self, labelling: Labelling, mentions: Mentions) -> None:
        self._labelling = labelling
        self._mentions = mentions
        self._ranks = {code: rank for rank, code in enumerate(labelling.order, 1)}
        self._by_split = labelling.labels.frequencies_by(labelling.splits)
        self._by_modality = labelling.labels.frequencies_by(labelling.modalities)

    def figures(self, code: int) -> ConceptFigures:
        labelling = self._labelling
        cui, images = labelling.labels.cuis[code], int(labelling.frequencies[code])
        concept = labelling.vocabulary.concept(cui) or Concept(cui, "")
        read = self._mentions.captioned and cui in labelling.vocabulary
        return ConceptFigures(
            cui=cui,
            name=labelling.name(cui),
            synonyms=_synonyms(concept, labelling.name(cui)),
            types=concept.types,
            parents=self._named(concept.parents),
            children=self._named(labelling.vocabulary.children(cui)),
            rank=self._ranks[code],
            images=images,
            share=images / labelling.labels.images,
            interval=wilson(images, labelling.labels.images),
            splits=_parts(labelling.splits, self._by_split[:, code]),
            modalities=_parts(labelling.modalities, self._by_modality[:, code]),
            beside=companions(labelling, code),
            captions=self._mentions.agreement(code) if read else None,
        )

    def _named(self, cuis: Iterable[Cui]) -> tuple[Named, ...]:
        return tuple(Named(cui, self._labelling.name(cui)) for cui in cuis)


def _synonyms(concept: Concept, name: str) -> tuple[str, ...]:
    """The other names, each once whatever its capitals."""
    known = {one.casefold(): one for one in reversed((concept.name, *concept.synonyms))}
    return tuple(reversed([one for key, one in known.items() if key not in {name.casefold(), ""}]))


def _parts(parts: Partition, counts: NDArray[np.int64]) -> tuple[Part, ...]:
    numbers: list[int] = counts.tolist()
    return tuple(map(Part, parts.names, numbers, parts.sizes))
