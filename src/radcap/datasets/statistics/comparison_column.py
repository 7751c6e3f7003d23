"""One dataset of a comparison.

Invariant: what it says against the first dataset is nothing for the first itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.datasets.statistics.concepts import ConceptCount
    from radcap.datasets.statistics.splits import CaptionCount

__all__ = ["DatasetColumn"]


@dataclass(frozen=True, slots=True)
class DatasetColumn:
    """One dataset in numbers, and how it differs from the first."""

    name: str
    images: int
    groups: int
    captions: Mapping[str, CaptionCount]  # of each source
    concepts: int  # mentions
    concepts_per_image: float
    unique: int  # different concepts
    modalities: Mapping[str, float]  # share of the images
    licences: Mapping[str, float]
    modality_shift: Mapping[str, float]  # percentage points more than the first has
    total_variation: float  # of the modality shares
    jensen_shannon: float
    shared: int  # concepts that the first has too
    overlap: float  # shared of all concepts of both
    new: int  # concepts that the first lacks
    lost: int  # concepts that only the first has
    top_new: tuple[ConceptCount, ...]
    top_lost: tuple[ConceptCount, ...]  # counted in the first
