"""Queries that have nearly the same picture in the index, and whether that is a leak.

Invariant: every query is counted once: without a near duplicate, with one of another article, or with one of
its own. A score is given with and without the queries that `found` marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.retrieval.groups import same_group
from radcap.detection.retrieval.index import NeighbourIndex
from radcap.detection.retrieval.neighbours import Neighbours
from radcap.detection.retrieval.vectors import Floats

__all__ = ["NearDuplicates", "near_duplicates"]


@dataclass(frozen=True, slots=True, eq=False)
class NearDuplicates:
    """For each query the picture that is nearly the same: its place in the index, -1 if there is none."""

    places: NDArray[np.int64]
    scores: Floats  # of the nearest, also where it is too far to be the same
    same_group: NDArray[np.bool_]  # the duplicate is of the query's own article: a leak
    threshold: float

    @property
    def found(self) -> NDArray[np.bool_]:
        return self.places >= 0

    @property
    def count(self) -> int:
        return int(self.found.sum())

    @property
    def leaks(self) -> int:
        """How many of them are of the query's own article."""
        return int(self.same_group.sum())

    @property
    def neighbours(self) -> Neighbours:
        """As the result of a search, so that a rule can copy the labels."""
        scores = np.where(self.found, self.scores, -np.inf).astype(np.float32)
        return Neighbours(self.places[:, None], scores[:, None])

    def __str__(self) -> str:
        return (
            f"{self.count:,} of {len(self.places):,} queries have a near duplicate in the index (score from "
            f"{self.threshold:g} on), {self.leaks:,} of them in their own group."
        )


def near_duplicates(
    index: NeighbourIndex,
    queries: NDArray[Any],
    threshold: float = 0.98,
    groups: Sequence[str] | None = None,
    guard: Literal["flag", "refuse"] = "flag",
) -> NearDuplicates:
    """The near duplicate of each query. `groups` are those of the queries.

    The guard flags a duplicate of the query's own group, or refuses it: then the next nearest may be one.
    """
    if guard == "refuse" and groups is None:
        raise UsageError("The guard 'refuse' needs the groups of the queries. Give them, or let it flag.")
    nearest = index.search(queries, 1, groups if guard == "refuse" else None)
    scores, places = nearest.scores[:, 0], nearest.places[:, 0]
    places = np.where(scores >= threshold, places, -1)
    same = np.zeros(len(places), bool)
    if groups is not None:
        rows, own = same_group(index.groups, groups, len(places))(0, len(places))
        same[rows[places[rows] == own]] = True
    return NearDuplicates(places, scores, same, threshold)
