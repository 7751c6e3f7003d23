"""What was asked of a split: how large, what stays, what goes by date.

Invariant: a plan that cannot be followed is refused before anything is moved.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError, unknown_name
from radcap.datasets.dataset import SPLITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.splits.grouping import Groups

__all__ = ["SHARES", "Pins", "Plan", "pin_groups"]

SHARES: Mapping[str, float] = {"train": 0.8, "valid": 0.1, "test": 0.1}
_EXACT = 1e-6
_TEMPORAL = "test"
_YEAR = re.compile(r"[0-9]{4}(?![0-9])")  # 2021, and the start of 2021-05-03


@dataclass(frozen=True, slots=True)
class Plan:
    """Shares of all records, splits that keep their records, the first year of the test split."""

    shares: Mapping[str, float]
    fixed: tuple[str, ...] = ()
    temporal: int | None = None

    def __post_init__(self) -> None:
        for name, share in self.shares.items():
            if name not in SPLITS:
                raise unknown_name("split", name, SPLITS)
            if not (math.isfinite(share) and share >= 0):
                raise UsageError(f"The share of {name} is {share}. A share is a part: give 0 or more.")
        total = sum(self.shares.values())
        if abs(total - 1) > _EXACT:
            raise UsageError(f"The shares add up to {total:g}. Every record goes somewhere: make it 1.")

    @property
    def open(self) -> dict[str, float]:
        """The splits that take records of free choice, with their shares of those records."""
        closed = {*self.fixed, *((_TEMPORAL,) if self.temporal is not None else ())}
        taken = {name: share for name, share in self.shares.items() if share > 0 and name not in closed}
        total = sum(taken.values())
        return {name: share / total for name, share in taken.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Every split there will be, in the usual order."""
        there = {*self.shares, *self.fixed, *((_TEMPORAL,) if self.temporal is not None else ())}
        return (*(one for one in SPLITS if one in there), *sorted(there - set(SPLITS)))


@dataclass(frozen=True, slots=True)
class Pins:
    """Groups whose split is not ours to choose."""

    splits: NDArray[np.int64]  # of each group, as a place in `Plan.names`; -1 where it is free
    kept: NDArray[np.bool_]  # records that keep the split they have
    joined: int  # records that follow the rest of their group into a fixed split
    torn: tuple[str, ...]  # groups that lie in two fixed splits already
    undated: int  # records without a year, where the year decides


def pin_groups(dataset: Dataset, groups: Groups, plan: Plan) -> Pins:
    """The groups that are fixed, or new enough for a test by date. What is fixed goes first."""
    pinned = np.full(len(groups.keys), -1, np.int64)
    undated = 0
    if plan.temporal is not None:
        years = _years(dataset)
        undated = int(np.count_nonzero(years < 0))
        pinned[groups.numbers[years >= plan.temporal]] = plan.names.index(_TEMPORAL)
    kept = np.zeros(len(dataset), bool)
    joined, torn = 0, np.zeros(len(groups.keys), bool)
    if plan.fixed:
        kept, torn = _fix(dataset, groups, plan, pinned)
        owned = np.zeros(len(groups.keys), bool)
        owned[groups.numbers[kept]] = True
        joined = int(np.count_nonzero(owned[groups.numbers] & ~kept))
    names = tuple(groups.keys[one] for one in np.flatnonzero(torn))
    return Pins(pinned, kept, joined, names, undated)


def _fix(
    dataset: Dataset, groups: Groups, plan: Plan, pinned: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Pin the groups of fixed records; of two fixed splits the later one of `fixed` takes the rest."""
    have = np.array(dataset.column("split").to_pylist(), object)
    kept = np.zeros(len(dataset), bool)
    homes = np.zeros(len(groups.keys), np.int64)
    for name in dict.fromkeys(plan.fixed):
        if name not in dataset.splits:
            raise unknown_name("split", name, dataset.splits)
        there = have == name
        kept |= there
        touched = np.unique(groups.numbers[there])
        homes[touched] += 1
        pinned[touched] = plan.names.index(name)
    return kept, homes > 1


def _years(dataset: Dataset) -> NDArray[np.int64]:
    """The year of each record, or -1."""
    if "year" not in dataset.table.column_names:
        raise UsageError(
            f"{dataset.name} has no column 'year'. A split by date needs one. Add it, or leave temporal out."
        )
    values: Sequence[str] = dataset.column("year").to_pylist()
    return np.array([_year(value.strip()) for value in values], np.int64)


def _year(text: str) -> int:
    found = _YEAR.match(text)
    return int(found[0]) if found else -1
