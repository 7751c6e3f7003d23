"""Clusters of concepts that images have together.

A concept's vector says beside which others it stands in the training labels: PPMI and a truncated
decomposition, as for words. It stands in for the MedCPT vectors of names that DS4DH (2025) clustered, which
cannot be had here.
Invariant: what no other stands beside is a vector of zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.captioning.texts.pair_tables import PairTable, leading_vectors, positive_information
from radcap.captioning.training.ward import ward_clusters
from radcap.detection.retrieval.tags import Tags

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["concept_clusters", "concept_vectors"]

Floats: TypeAlias = NDArray[np.float64]

_WIDTH = 100


def concept_clusters(truth: NDArray[np.bool_], count: int, seed: int = 0) -> tuple[int, ...]:
    """The cluster of each label, from labels of images (images x labels)."""
    numbers: list[int] = ward_clusters(concept_vectors(truth, seed=seed), count).tolist()
    return tuple(numbers)


def concept_vectors(truth: NDArray[np.bool_], width: int = _WIDTH, seed: int = 0) -> Floats:
    """A row of length 1 for each label."""
    table = PairTable.of(truth.shape[1], _together(Tags.of(truth)))
    vectors = leading_vectors(positive_information(table), width, seed)
    lengths = np.sqrt(np.vecdot(vectors, vectors))[:, None]
    return vectors / np.where(lengths > 0, lengths, 1)


def _together(tags: Tags) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The pairs of labels of one image, of all images with as many labels at a time."""
    for many in np.unique(tags.counts).tolist():
        starts = tags.starts[:-1][tags.counts == many]
        codes = tags.codes[starts[:, None] + np.arange(many)].astype(np.int64)
        first, second = np.triu_indices(many, 1)
        yield codes[:, first].ravel(), codes[:, second].ravel()
