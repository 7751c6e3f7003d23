"""What is learnt from: the rows a system may use, its labels, who has which, and who belongs together.

Invariant: labels come from the training split alone and keep one order, by CUI; a label of another split that
training never saw is no label, and its images are scored without it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.datasets import Selection
from radcap.datasets.selection import concepts_named
from radcap.detection.semantic_kinds import of_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.system import DataSettings

__all__ = ["groups_of", "is_free", "label_matrix", "label_set", "learnable"]

_TERMS = re.compile(
    r"(?<![a-z])(nc|sa)(?![a-z])|non[-_ ]?commercial|share[-_ ]?alike|^\s*(unknown)?\s*$", re.IGNORECASE
)


def is_free(licence: str) -> bool:
    """Whether a licence is known, and has neither non-commercial nor share-alike terms.

    >>> is_free("CC BY 4.0"), is_free("CC BY-NC-SA 4.0"), is_free("")
    (True, False, False)
    """
    return _TERMS.search(licence) is None


def learnable(dataset: Dataset, data: DataSettings) -> Dataset:
    """The records a system learns from, with the labels it asks for."""
    keep = np.ones(len(dataset), np.bool_)
    if data.free_only:
        keep &= np.array([is_free(one or "") for one in dataset.column("licence").to_pylist()], np.bool_)
    if data.without_sources:
        left_out = set(data.without_sources)
        keep &= np.array([one not in left_out for one in dataset.column("source").to_pylist()], np.bool_)
    kept = dataset if keep.all() else dataset.filter(keep)
    return kept.select(Selection(concepts_named(data.concepts)))


def label_set(dataset: Dataset, data: DataSettings) -> tuple[Cui, ...]:
    """The labels of a training set, by CUI."""
    counts = Counter(cui for cuis in dataset.column("cui").to_pylist() for cui in cuis)
    kept = [cui for cui, count in counts.most_common() if count >= data.min_count]
    kept = of_kinds(kept, data.kinds)
    kept = kept[: data.top] if data.top else kept
    if not kept:
        raise UsageError(
            f"{dataset.name} has no label to learn among its {len(dataset):,} training images."
            " Look at [data] min_count, concepts, kinds and free_only, and at the dataset with radcap dataset"
            " info."
        )
    return tuple(sorted(kept))


def label_matrix(dataset: Dataset, labels: tuple[Cui, ...]) -> NDArray[np.bool_]:
    """Images by labels."""
    place = {cui: number for number, cui in enumerate(labels)}
    matrix = np.zeros((len(dataset), len(labels)), np.bool_)
    for row, cuis in enumerate(dataset.column("cui").to_pylist()):
        matrix[row, [place[cui] for cui in cuis if cui in place]] = True
    return matrix


def groups_of(dataset: Dataset, ids: Sequence[str]) -> list[str]:
    """The group of each image; an image that has none stands for itself."""
    known = dict(zip(dataset.ids, dataset.column("group").to_pylist(), strict=True))
    return [known[one] or one for one in ids]
