"""Modality, body region and direction, as people labelled them.

Invariant: only manual concepts count. Region and direction are labels of X-rays, so what lacks them is
counted among X-rays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import DIRECTIONS, MODALITIES, REGIONS
from radcap.datasets.statistics.concepts import ConceptCount, concept_counts, names_of
from radcap.datasets.statistics.counting import Count, count_values
from radcap.datasets.statistics.label_matrix import LabelMatrix, label_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset

__all__ = ["LabelStatistics", "label_statistics"]

_XRAY = "C1306645"


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """Images by manual label, and by the modality column where there is one."""

    modalities: tuple[ConceptCount, ...]
    regions: tuple[ConceptCount, ...]
    directions: tuple[ConceptCount, ...]
    modality_column: tuple[Count, ...]
    without_modality: int
    several_modalities: int
    xrays: int
    xrays_without_region: int
    xrays_without_direction: int


def label_statistics(dataset: Dataset) -> LabelStatistics:
    """The manual labels of a dataset."""
    labels = label_matrix(dataset.column("cui_manual"))
    names = names_of(dataset)
    modalities, regions, directions = (_per_image(labels, one) for one in (MODALITIES, REGIONS, DIRECTIONS))
    xray = _per_image(labels, {_XRAY: ""}) > 0
    return LabelStatistics(
        modalities=_counts(labels, MODALITIES, names),
        regions=_counts(labels, REGIONS, names),
        directions=_counts(labels, DIRECTIONS, names),
        modality_column=count_values(dataset.column("modality")),
        without_modality=int((modalities == 0).sum()),
        several_modalities=int((modalities > 1).sum()),
        xrays=int(xray.sum()),
        xrays_without_region=int((xray & (regions == 0)).sum()),
        xrays_without_direction=int((xray & (directions == 0)).sum()),
    )


def _marked(labels: LabelMatrix, wanted: Mapping[Cui, str]) -> NDArray[np.bool_]:
    """For each concept whether it is wanted."""
    return np.array([cui in wanted for cui in labels.cuis], bool)


def _per_image(labels: LabelMatrix, wanted: Mapping[Cui, str]) -> NDArray[np.int64]:
    """How many of the wanted labels each image has."""
    return np.bincount(labels.rows[_marked(labels, wanted)[labels.codes]], minlength=labels.images)


def _counts(
    labels: LabelMatrix, wanted: Mapping[Cui, str], names: Mapping[Cui, str]
) -> tuple[ConceptCount, ...]:
    frequencies = labels.frequencies * _marked(labels, wanted)
    return concept_counts(labels, frequencies, {**names, **wanted}, most=len(wanted))
