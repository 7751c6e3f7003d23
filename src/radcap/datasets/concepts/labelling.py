"""The labels of a dataset and the words for them: what every figure about concepts is counted from.

Invariant: a name is the dataset's own where it has one, else the vocabulary's, else empty; types, synonyms
and relatives are the vocabulary's alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.concepts.cooccurrence import CoOccurrence
from radcap.datasets.statistics.concepts import names_of
from radcap.datasets.statistics.label_matrix import label_matrix
from radcap.datasets.statistics.modalities import modality_partition
from radcap.datasets.statistics.splits import split_partition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.statistics.counting import Partition
    from radcap.vocabulary import Vocabulary

__all__ = ["Labelling"]


class Labelling:
    """A dataset seen by its concepts. A concept is meant by its code: its place among the sorted CUIs."""

    def __init__(self, dataset: Dataset, vocabulary: Vocabulary) -> None:
        self.dataset = dataset
        self.vocabulary = vocabulary
        self.labels = label_matrix(dataset.column("cui"))
        self.frequencies = self.labels.frequencies
        # the most frequent first; CUIs are sorted, so equal ones stay so
        self.order: tuple[int, ...] = tuple(np.argsort(-self.frequencies, kind="stable").tolist())
        self.code_of: Mapping[Cui, int] = {cui: code for code, cui in enumerate(self.labels.cuis)}
        self._names = names_of(dataset)
        self._above: dict[Cui, frozenset[Cui]] = {}

    def __len__(self) -> int:
        """How many different concepts there are."""
        return len(self.labels.cuis)

    def name(self, cui: Cui) -> str:
        """What a concept is called; nothing where nobody says."""
        return self._names.get(cui) or self.vocabulary.name(cui) or ""

    def cuis_of(self, row: int) -> frozenset[Cui]:
        """The concepts of one image."""
        codes: list[int] = self.beside.codes(row).tolist()
        return frozenset(self.labels.cuis[code] for code in codes)

    def above(self, cui: Cui) -> frozenset[Cui]:
        """The concepts of the dataset that stand above one in the vocabulary, looked up once."""
        if cui not in self._above:
            self._above[cui] = frozenset(self.vocabulary.ancestors(cui)) & self.code_of.keys()
        return self._above[cui]

    @cached_property
    def beside(self) -> CoOccurrence:
        return CoOccurrence(self.labels)

    @cached_property
    def splits(self) -> Partition:
        return split_partition(self.dataset)

    @cached_property
    def modalities(self) -> Partition:
        return modality_partition(self.dataset)
