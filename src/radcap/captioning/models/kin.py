"""Neighbours that have concepts like those decided for (DS4DH 2025, Cluster-RAG).

Concepts are in clusters. An image is in the cluster of each of its concepts, and each cluster has an index of
its own: the nearest of an asked image are looked for in the clusters of the concepts decided for it. Of the
nearest, those are kept whose set of concepts has at least a given cosine with those.
Invariant: of the asked image nothing counts but what is decided for it; an image that has several of its
clusters is found once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.retrieval.tags import Tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.detection.retrieval import NeighbourIndex

__all__ = ["Kin"]

_ALL = -1  # the cluster of everything


@dataclass(frozen=True, eq=False)
class Kin:
    """`clusters` are those of the labels of the index; without any, neighbours are looked for everywhere."""

    index: NeighbourIndex
    clusters: tuple[int, ...] = ()
    alike: float = 0.0

    @cached_property
    def parts(self) -> Mapping[int, tuple[NDArray[np.int64], NeighbourIndex]]:
        """The places and the index of each cluster."""
        if not self.clusters:
            return {_ALL: (np.arange(len(self.index)), self.index)}
        tags = self.index.tags
        owners = np.repeat(np.arange(len(tags)), tags.counts)
        own = np.array(self.clusters)[tags.codes]
        rows = {one: np.unique(owners[own == one]) for one in sorted(set(own.tolist()))}
        return {one: (places, _part(self.index, places)) for one, places in rows.items()}

    def nearest(
        self,
        vectors: NDArray[Any],
        k: int,
        decided: NDArray[np.bool_],
        groups: Sequence[str] | None = None,
    ) -> list[list[tuple[int, float]]]:
        """Places and similarities for each query, best first: k at most, and none where none is like it."""
        asked = [self._clusters_of(row) for row in decided]
        found: list[dict[int, float]] = [{} for _ in asked]
        for cluster, (rows, part) in self.parts.items():
            queries = [place for place, some in enumerate(asked) if cluster in some]
            if queries:
                theirs = None if groups is None else [groups[place] for place in queries]
                near = part.search(vectors[queries], k, exclude_groups=theirs)
                for place, there, *one in zip(queries, near.there, near.places, near.scores, strict=True):
                    places, scores = (each[there] for each in one)
                    found[place].update(zip(rows[places].tolist(), scores.tolist(), strict=True))
        ordered = (sorted(some.items(), key=lambda one: (-one[1], one[0]))[:k] for some in found)
        return [
            [(place, score) for place, score in some if self.cosine(row, place) >= self.alike]
            for row, some in zip(decided, ordered, strict=True)
        ]

    def cosine(self, decided: NDArray[np.bool_], place: int) -> float:
        """Of two sets of concepts: how many they share, over the root of the product of their sizes."""
        tags = self.index.tags
        own = tags.codes[tags.starts[place] : tags.starts[place + 1]]
        sizes = int(decided.sum()) * len(own)
        return float(decided[own].sum() / np.sqrt(sizes)) if sizes else 0.0

    def _clusters_of(self, decided: NDArray[np.bool_]) -> set[int]:
        places: list[int] = np.flatnonzero(decided).tolist()
        return {self.clusters[place] for place in places} if self.clusters else {_ALL}


def _part(index: NeighbourIndex, places: NDArray[np.int64]) -> NeighbourIndex:
    """The images at some places, without their labels, which are known by the whole."""
    chosen: list[int] = places.tolist()
    ids = tuple(index.ids[place] for place in chosen)
    groups = tuple(index.groups[place] for place in chosen) if index.groups else ()
    none = Tags.of(np.zeros((len(places), 0), np.bool_))
    return replace(index, vectors=index.vectors[places], ids=ids, labels=(), tags=none, groups=groups)
