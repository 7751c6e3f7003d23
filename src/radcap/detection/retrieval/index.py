"""Embeddings with what is known of their images, ready to be searched.

Invariant: under cosine all vectors have length 1, or 0; the engine changes the time, never an exact answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.retrieval.config import Engine, Metric
from radcap.detection.retrieval.faiss_engine import faiss_search
from radcap.detection.retrieval.groups import same_group
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.products import products
from radcap.detection.retrieval.rank_weights import RankWeights
from radcap.detection.retrieval.reduced import reduced_search
from radcap.detection.retrieval.searching import Search
from radcap.detection.retrieval.tags import Tags
from radcap.detection.retrieval.vectors import Vectors, checked, prepared

__all__ = ["NeighbourIndex"]

_FILLED = 1024  # rows are filled up to k, or to this where there are fewer images: k may be any number


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourIndex:
    """Images that answers are taken from. Make one with `of`, or open one with `load_index`."""

    vectors: NDArray[Any]  # float32 or float16
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    tags: Tags
    groups: tuple[str, ...] = ()  # of each image; none: unknown
    metric: Metric = "cosine"
    axes: Vectors | None = None  # (dimension of a query, dimension of a vector), where the index is reduced
    ranks: RankWeights | None = None  # what the neighbours count, for the rule `learned`

    @classmethod
    def of(
        cls,
        embeddings: NDArray[Any],
        ids: Sequence[str],
        labels: Sequence[str],
        truth: NDArray[np.bool_],
        groups: Sequence[str] = (),
        metric: Metric = "cosine",
    ) -> NeighbourIndex:
        """An index of images; `truth` is (image, label)."""
        wrong = [
            f"{len(ids):,} ids" if len(ids) != len(embeddings) else "",
            f"labels of shape {truth.shape}" if truth.shape != (len(embeddings), len(labels)) else "",
            f"{len(groups):,} groups" if groups and len(groups) != len(embeddings) else "",
        ]
        if any(wrong):
            raise UsageError(
                f"{len(embeddings):,} embeddings and {len(labels):,} labels came with "
                f"{', '.join(filter(None, wrong))}. Each image needs one row of each. Give them in one order."
            )
        vectors = prepared(checked(embeddings, "The embeddings of the index"), metric)
        return cls(vectors, tuple(ids), tuple(labels), Tags.of(truth), tuple(groups), metric)

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def width(self) -> int:
        """The dimensions that a query must have."""
        return self.vectors.shape[1] if self.axes is None else self.axes.shape[0]

    def search(
        self,
        queries: NDArray[Any],
        k: int,
        exclude_groups: Sequence[str] | None = None,
        *,
        engine: Engine = "auto",
        approximate: bool = False,
    ) -> Neighbours:
        """The nearest k of each query. `exclude_groups` are the groups of the queries, one for each: images
        of the same group are no neighbours."""
        if k < 1:
            raise UsageError(f"k is {k}. It counts neighbours. Give 1 or more.")
        k = self.reach(k)
        asked = self.projected(queries)
        hidden = None if exclude_groups is None else same_group(self.groups, exclude_groups, len(asked))
        search = Search(self._floats(), asked, k, self.metric, hidden)
        if engine == "faiss":
            return faiss_search(search, approximate=approximate)
        if approximate:
            return reduced_search(search)
        return search.exact(products(search.vectors, asked, self.metric))

    def reach(self, k: int) -> int:
        """How wide a row of k neighbours is."""
        return min(k, max(len(self), _FILLED))

    def projected(self, queries: NDArray[Any]) -> Vectors:
        """Queries in the space of the vectors."""
        asked = prepared(checked(queries, "The queries", self.width), self.metric)
        return asked if self.axes is None else prepared(asked @ self.axes, self.metric)

    def _floats(self) -> Vectors:
        if self.vectors.dtype == np.float32 and self.vectors.flags.c_contiguous:
            return self.vectors
        return prepared(self.vectors, self.metric)  # float16: lengths are rounded too
