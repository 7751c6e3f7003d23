"""The splits of a dataset side by side.

Invariant: the numbers of a split are those of a dataset that has this split alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.caption_parts import caption_parts
from radcap.datasets.lists import rows_of
from radcap.datasets.statistics.captions import word_counts
from radcap.datasets.statistics.counting import UNKNOWN, Partition, partition
from radcap.datasets.statistics.label_matrix import label_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["CaptionCount", "SplitStatistics", "split_partition", "split_statistics"]


@dataclass(frozen=True, slots=True)
class CaptionCount:
    """How many captions of one source there are, and how long they are."""

    n: int
    words: float  # per caption


@dataclass(frozen=True, slots=True)
class SplitStatistics:
    """One split in numbers; means over nothing are zero."""

    name: str
    images: int
    groups: int
    captions: Mapping[str, CaptionCount]  # of each source
    concepts: int  # mentions
    concepts_per_image: float
    unique: int  # different concepts
    unseen: int  # of these, how many train does not have


def split_partition(dataset: Dataset) -> Partition:
    """The images of a dataset by split, in the order of its splits."""
    order = dict.fromkeys(name or UNKNOWN for name in dataset.splits)
    return partition(dataset.column("split"), tuple(order))


def split_statistics(
    dataset: Dataset, splits: Partition, groups: NDArray[np.int64]
) -> tuple[SplitStatistics, ...]:
    """Each split of a dataset; `groups` has the number of the group of each image."""
    captions = _captions(dataset, splits)
    by_split = label_matrix(dataset.column("cui")).frequencies_by(splits)
    known = by_split[splits.names.index("train")] > 0 if "train" in splits.names else None
    return tuple(
        SplitStatistics(
            name=name,
            images=size,
            groups=len(np.unique(groups[splits.rows(place)])),
            captions=captions[place],
            concepts=int(by_split[place].sum()),
            concepts_per_image=float(by_split[place].sum() / max(1, size)),
            unique=int((by_split[place] > 0).sum()),
            unseen=0 if known is None else int(((by_split[place] > 0) & ~known).sum()),
        )
        for place, (name, size) in enumerate(zip(splits.names, splits.sizes, strict=True))
    )


def _captions(dataset: Dataset, splits: Partition) -> list[dict[str, CaptionCount]]:
    """For each split the captions of each source that it has."""
    n = len(splits.names)
    found: list[dict[str, CaptionCount]] = [{} for _ in range(n)]
    for source, part in caption_parts(dataset.column("captions")).items():
        split = splits.codes[rows_of(part)]
        texts = np.bincount(split, minlength=n)
        words = np.bincount(split, word_counts(part.flatten().field("text")), n)
        for place in np.flatnonzero(texts).tolist():
            found[place][source.value] = CaptionCount(int(texts[place]), float(words[place] / texts[place]))
    return found
