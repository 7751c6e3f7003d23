"""How many concepts images have, which are frequent, and how long the tail is.

Invariant: a frequency is a number of images; a list of concepts comes most frequent first, equal ones by CUI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import MODALITIES, NAMES
from radcap.datasets.lists import without_rows_of
from radcap.datasets.statistics.counting import Count, Distribution, distribution, sorted_counts
from radcap.datasets.statistics.label_matrix import LabelMatrix, label_matrix

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.statistics.counting import Partition

__all__ = ["TOP", "ConceptCount", "ConceptStatistics", "concept_counts", "concept_statistics", "names_of"]

TOP = 10  # as many as the tables of the ROCOv2 paper have
RARE = (5, 10)  # images; the second is the cut of ROCOv2


@dataclass(frozen=True, slots=True)
class ConceptCount:
    """A concept and on how many images it stands."""

    cui: Cui
    name: str
    images: int


@dataclass(frozen=True, slots=True)
class ConceptStatistics:
    """Concepts of images: all of them, those a program found, those people gave."""

    unique: int
    unique_automatic: int
    unique_manual: int
    per_image: Distribution
    automatic_per_image: Distribution
    manual_per_image: Distribution
    frequency: Distribution  # over concepts: on how many images each stands
    below_5: int  # concepts on fewer than five images
    below_10: int
    top: tuple[ConceptCount, ...]
    top_without_modalities: tuple[ConceptCount, ...]
    top_without_labels: tuple[ConceptCount, ...]  # nor regions nor directions: as the paper's table has it
    top_by_modality: Mapping[str, tuple[ConceptCount, ...]]
    semantic_types: tuple[Count, ...]  # concept mentions
    types_of: str  # whose types they are; empty where none were given


def names_of(dataset: Dataset) -> Mapping[Cui, str]:
    """The names of concepts: those of the dataset, else those everybody knows."""
    return {**NAMES, **dataset.names}


def concept_statistics(
    dataset: Dataset,
    modalities: Partition,
    semantic_types: Mapping[Cui, Sequence[str]] | None = None,
    types_of: str = "",
) -> ConceptStatistics:
    """The concepts of a dataset."""
    column, manual = dataset.column("cui"), dataset.column("cui_manual")
    labels, by_hand = label_matrix(column), label_matrix(manual)
    automatic = label_matrix(without_rows_of(column, manual))
    names = names_of(dataset)
    frequencies = labels.frequencies
    spread = distribution(frequencies)
    below_5, below_10 = (spread.below(limit) for limit in RARE)
    return ConceptStatistics(
        unique=len(labels.cuis),
        unique_automatic=len(automatic.cuis),
        unique_manual=len(by_hand.cuis),
        per_image=distribution(labels.per_image),
        automatic_per_image=distribution(automatic.per_image),
        manual_per_image=distribution(by_hand.per_image),
        frequency=spread,
        below_5=below_5,
        below_10=below_10,
        top=concept_counts(labels, frequencies, names),
        top_without_modalities=concept_counts(labels, frequencies, names, without=MODALITIES),
        top_without_labels=concept_counts(labels, frequencies, names, without=NAMES),
        top_by_modality=_by_modality(labels, modalities, names),
        semantic_types=_semantic_types(labels, semantic_types or {}),
        types_of=types_of,
    )


def concept_counts(
    labels: LabelMatrix,
    frequencies: NDArray[np.int64],
    names: Mapping[Cui, str],
    most: int = TOP,
    without: Collection[Cui] = (),
) -> tuple[ConceptCount, ...]:
    """The most frequent concepts, less those of `without`."""
    order = np.argsort(-frequencies, kind="stable")  # CUIs are sorted, so equal ones stay so
    found: list[ConceptCount] = []
    places: list[int] = order.tolist()
    for place in places:
        if len(found) == most or not frequencies[place]:
            break
        cui = labels.cuis[place]
        if cui not in without:
            found.append(ConceptCount(cui, names.get(cui, ""), int(frequencies[place])))
    return tuple(found)


def _by_modality(
    labels: LabelMatrix, modalities: Partition, names: Mapping[Cui, str]
) -> dict[str, tuple[ConceptCount, ...]]:
    rows = labels.frequencies_by(modalities)
    return {name: concept_counts(labels, rows[place], names) for place, name in enumerate(modalities.names)}


def _semantic_types(labels: LabelMatrix, types: Mapping[Cui, Sequence[str]]) -> tuple[Count, ...]:
    """Mentions by semantic type; a concept of two types counts under both."""
    mentions: dict[str, int] = {}
    for cui, images in zip(labels.cuis, labels.frequencies.tolist(), strict=True):
        for one in types.get(cui, ()):
            mentions[one] = mentions.get(one, 0) + images
    return sorted_counts([Count(name, n) for name, n in mentions.items()])
