"""A dataset in numbers, as the ROCOv2 paper describes its own.

Invariant: the numbers are counted from the records at hand, never taken from a card. Images that name no
group count as groups of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from radcap.datasets.statistics.captions import CaptionStatistics, caption_statistics
from radcap.datasets.statistics.concepts import ConceptStatistics, concept_statistics
from radcap.datasets.statistics.counting import Count, Distribution, count_values, distribution
from radcap.datasets.statistics.labels import LabelStatistics, label_statistics
from radcap.datasets.statistics.licences import LicenceStatistics, licence_statistics
from radcap.datasets.statistics.modalities import modality_partition
from radcap.datasets.statistics.pixels import PixelStatistics, pixel_statistics
from radcap.datasets.statistics.plain import plain
from radcap.datasets.statistics.publications import (
    PublicationStatistics,
    publication_statistics,
    year_column,
)
from radcap.datasets.statistics.splits import SplitStatistics, split_partition, split_statistics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.survey.survey import Survey

__all__ = ["Statistics", "group_codes", "statistics"]


@dataclass(frozen=True, slots=True)
class Statistics:
    """All numbers of a dataset; `pixels` only where its images were surveyed."""

    name: str
    images: int
    groups: int
    ungrouped: int  # images that name no article or patient
    images_per_group: Distribution
    splits: tuple[SplitStatistics, ...]
    captions: Mapping[str, CaptionStatistics]  # of each source
    concepts: ConceptStatistics
    labels: LabelStatistics
    modalities: tuple[Count, ...]  # every image once
    licences: LicenceStatistics
    publication: PublicationStatistics
    sources: tuple[Count, ...]
    pixels: PixelStatistics | None

    def to_json(self) -> dict[str, Any]:
        return plain(self)


def statistics(
    dataset: Dataset,
    survey: Survey | None = None,
    *,
    semantic_types: Mapping[Cui, Sequence[str]] | None = None,
    types_of: str = "",
) -> Statistics:
    """Count a dataset. `survey` adds what its pixels say, `semantic_types` gives concepts their types.

    `types_of` says whose types they are.
    """
    groups = group_codes(dataset)
    modalities = modality_partition(dataset)
    splits = split_partition(dataset)
    per_group = np.bincount(groups)
    return Statistics(
        name=dataset.name,
        images=len(dataset),
        groups=len(per_group),
        ungrouped=_without_group(dataset),
        images_per_group=distribution(per_group),
        splits=split_statistics(dataset, splits, groups),
        captions=caption_statistics(dataset, groups),
        concepts=concept_statistics(dataset, modalities, semantic_types, types_of),
        labels=label_statistics(dataset),
        modalities=tuple(map(Count, modalities.names, modalities.sizes)),
        licences=licence_statistics(dataset, year_column(dataset)),
        publication=publication_statistics(dataset, groups),
        sources=count_values(dataset.column("source")),
        pixels=None if survey is None else pixel_statistics(dataset, survey, modalities, splits),
    )


def group_codes(dataset: Dataset) -> NDArray[np.int64]:
    """The number of the group of each image, without gaps; an image without a group is one of its own."""
    coded = dataset.column("group").dictionary_encode()
    names: list[str] = coded.dictionary.to_pylist()
    codes = coded.indices.to_numpy().astype(np.int64)
    if "" in names:
        alone = codes == names.index("")
        codes[alone] = len(names) + np.arange(int(alone.sum()))
    return np.unique(codes, return_inverse=True)[1]


def _without_group(dataset: Dataset) -> int:
    return int(pc.sum(pc.equal(dataset.column("group"), "")).as_py() or 0)
