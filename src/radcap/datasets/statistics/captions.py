"""How long captions are, who wrote them, and in which language.

Invariant: words are what white space separates; captions of different sources are never counted together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from radcap.datasets.caption_parts import caption_parts
from radcap.datasets.lists import lengths, rows_of, single
from radcap.datasets.statistics.counting import Distribution, distribution, partition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["CaptionStatistics", "caption_statistics", "word_counts"]


@dataclass(frozen=True, slots=True)
class CaptionStatistics:
    """Captions of one source and their length in words."""

    n: int
    captioned: int  # images that have at least one
    words: Distribution
    by_language: Mapping[str, Distribution]
    per_group: Distribution  # over groups that have a caption


def word_counts(texts: Any) -> NDArray[np.int64]:
    """The number of words of each text.

    >>> import pyarrow as pa
    >>> word_counts(pa.array(["CT  of the chest.", " ", ""])).tolist()
    [4, 0, 0]
    """
    trimmed = pc.utf8_trim_whitespace(single(texts))
    counted = lengths(pc.utf8_split_whitespace(trimmed))
    return np.where(pc.equal(trimmed, "").to_numpy(zero_copy_only=False), 0, counted)


def caption_statistics(dataset: Dataset, groups: NDArray[np.int64]) -> dict[str, CaptionStatistics]:
    """The captions of each source; `groups` has the number of the group of each image."""
    parts = caption_parts(dataset.column("captions")).items()
    return {source.value: _statistics(part, groups) for source, part in parts}


def _statistics(column: Any, groups: NDArray[np.int64]) -> CaptionStatistics:
    captions = column.flatten()
    words = word_counts(captions.field("text"))
    per_group = np.bincount(groups[rows_of(column)])
    return CaptionStatistics(
        n=len(captions),
        captioned=int((lengths(column) > 0).sum()),
        words=distribution(words),
        by_language=_parts(captions.field("language"), words),
        per_group=distribution(per_group[per_group > 0]),
    )


def _parts(column: Any, words: NDArray[np.int64]) -> dict[str, Distribution]:
    found = partition(column)
    return {name: distribution(words[found.rows(place)]) for place, name in enumerate(found.names)}
