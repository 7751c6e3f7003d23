"""Split a dataset into train, valid and test without tearing a group apart.

Invariant: no group crosses splits, unless two fixed splits share it already; then it is listed as torn. The
same seed gives the same splits, whatever the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.core import UsageError
from radcap.datasets.columns import NAMES
from radcap.datasets.lists import rows_of, single, without_rows_of
from radcap.datasets.selection import Concepts, concepts_named
from radcap.datasets.splits.deviations import Deviation, Labelled, deviation_table, deviations_of
from radcap.datasets.splits.grouping import Groups, find_groups
from radcap.datasets.splits.plan import SHARES, Pins, Plan, pin_groups
from radcap.datasets.splits.stratification import Strata, stratify, tickets
from radcap.datasets.splits.unseen_concepts import Dropped, Unseen, find_unseen, without_unseen
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["LargeGroup", "Splitting", "split_dataset"]


@dataclass(frozen=True, slots=True)
class LargeGroup:
    """A group that is larger than one of the splits should be."""

    key: str
    records: int
    split: str  # where it went

    def to_json(self) -> dict[str, object]:
        return {"group": self.key, "records": self.records, "split": self.split}


@dataclass(frozen=True, slots=True)
class Splitting:
    """A dataset with its new splits, and how well the wish was met."""

    dataset: Dataset = field(repr=False)
    seed: int
    groups: int
    singles: int  # records that name no group; each is a group of one
    deviations: tuple[Deviation, ...] = field(repr=False)  # the first is that of all records
    large: tuple[LargeGroup, ...]
    empty: tuple[str, ...]  # splits that were wanted and got nothing
    unseen: tuple[Unseen, ...] = field(repr=False)  # concepts that train lacks
    dropped: Dropped
    joined: int  # records that followed their group into a fixed split
    torn: tuple[str, ...]  # groups that lie in two fixed splits
    undated: int

    def to_json(self) -> dict[str, Any]:
        return {
            "records": len(self.dataset),
            "seed": self.seed,
            "groups": self.groups,
            "singles": self.singles,
            "deviations": [one.to_json() for one in self.deviations],
            "large": [one.to_json() for one in self.large],
            "empty": list(self.empty),
            "unseen": [one.to_json() for one in self.unseen],
            "dropped": self.dropped.to_json(),
            "joined": self.joined,
            "torn": list(self.torn),
            "undated": self.undated,
        }

    def tables(self) -> tuple[Table, ...]:
        """Labels by split, and below it what else a reader must know."""
        facts = (
            ("groups", f"{self.groups:,}"),
            ("records that name no group", f"{self.singles:,}"),
            ("groups larger than a split should be", f"{len(self.large):,}"),
            ("splits left empty", ", ".join(self.empty) or "0"),
            ("concepts that train lacks", f"{len(self.unseen):,}"),
            ("labels removed since train lacks them", f"{self.dropped.labels:,}"),
            ("images that lost all automatic concepts by that", f"{len(self.dropped.emptied):,}"),
            ("records that followed their group into a fixed split", f"{self.joined:,}"),
            ("groups torn between fixed splits", f"{len(self.torn):,}"),
            ("records without a year", f"{self.undated:,}"),
        )
        table = Table(("fact", "count"), facts, "Groups and concepts", frozenset({"count"}))
        return deviation_table(self.deviations, self.dataset.names), table


def split_dataset(
    dataset: Dataset,
    shares: Mapping[str, float] = SHARES,
    *,
    seed: int = 0,
    fixed: Sequence[str] = (),
    same: Iterable[Sequence[int]] = (),
    temporal: int | None = None,
    concepts: str = "manual",
    drop_unseen: bool = False,
) -> Splitting:
    """Group-aware iterative stratification on the manual concepts and the modality.

    `fixed` splits keep their records and take no others but those of the same groups. `same` are clusters of
    places that belong together too, such as those of `find_duplicates`. `temporal` sends every group with a
    record of that year or later to test. `concepts` stratifies on others than the manual ones; `drop_unseen`
    removes automatic concepts that train lacks, as ROCOv2 does.
    """
    plan = Plan(dict(shares), tuple(fixed), temporal)
    labelled = _labelled(dataset, concepts_named(concepts), plan)
    groups = find_groups(dataset.table, same)
    pins = pin_groups(dataset, groups, plan)
    placed = _place(labelled, groups, pins, plan, seed)
    splits = np.where(pins.kept, _present(dataset, plan), placed[groups.numbers])
    split = _with_splits(dataset, plan, splits)
    unseen = find_unseen(split)
    split, dropped = without_unseen(split) if drop_unseen else (split, Dropped())
    free = pins.splits < 0
    deviations = deviations_of(labelled, splits, free[groups.numbers], plan.open)
    return Splitting(
        split,
        seed,
        len(groups.keys),
        groups.singles,
        deviations,
        _large(groups, plan, placed, free),
        tuple(name for name in plan.open if not deviations[0].got[name]),
        unseen,
        dropped,
        pins.joined,
        pins.torn,
        pins.undated,
    )


def _labelled(dataset: Dataset, choice: Concepts, plan: Plan) -> Labelled:
    """Labels to be balanced: concepts of the choice, and the modality where the dataset names it."""
    column = single(dataset.column("cui_manual" if choice is Concepts.MANUAL else "cui"))
    if choice is Concepts.AUTOMATIC:
        column = without_rows_of(column, dataset.column("cui_manual"))
    modality = dataset.column("modality")
    named = np.array([value != "" for value in modality.to_pylist()], bool)
    rows = np.concatenate([rows_of(column), np.flatnonzero(named)])
    values = [*column.flatten().to_pylist(), *modality.filter(pa.array(named)).to_pylist()]
    labels = sorted(set(values))
    numbers = {label: number for number, label in enumerate(labels)}
    cells = rows * max(1, len(labels)) + np.array([numbers[value] for value in values], np.int64)
    rows, codes = np.divmod(np.unique(cells), max(1, len(labels)))  # a label counts once on a record
    return Labelled(rows, codes, tuple(labels), plan.names)


def _place(labelled: Labelled, groups: Groups, pins: Pins, plan: Plan, seed: int) -> NDArray[np.int64]:
    """The split of each group, as a place in the names of the plan."""
    free = pins.splits < 0
    shares = plan.open
    if free.any() and not shares:
        raise UsageError(
            f"{int(free.sum()):,} groups belong to no closed split, and no split is open for them. "
            "Give train or valid a share, or fix fewer splits."
        )
    strata = Strata.of(groups.numbers, len(groups.keys), labelled.rows, labelled.codes, len(labelled.labels))
    drawn = tickets(groups.keys, seed), tickets(labelled.labels, seed)
    chosen = stratify(strata, list(shares.values()), *drawn, free)
    places = np.array([*(plan.names.index(name) for name in shares), -1], np.int64)
    return np.where(free, places[chosen], pins.splits)


def _present(dataset: Dataset, plan: Plan) -> NDArray[np.int64]:
    """The split each record has, as a place in the names of the plan; -1 for one that goes."""
    places = {name: place for place, name in enumerate(plan.names)}
    return np.array([places.get(name, -1) for name in dataset.column("split").to_pylist()], np.int64)


def _with_splits(dataset: Dataset, plan: Plan, splits: NDArray[np.int64]) -> Dataset:
    column = pa.array(plan.names, pa.string()).take(pa.array(splits, pa.int64()))
    return replace(dataset, table=dataset.table.set_column(NAMES.index("split"), "split", column))


def _large(
    groups: Groups, plan: Plan, placed: NDArray[np.int64], free: NDArray[np.bool_]
) -> tuple[LargeGroup, ...]:
    """Free groups that the smallest open split cannot take, the largest first."""
    sizes = groups.sizes
    limit = max(1, ceil(min(plan.open.values(), default=1.0) * int(sizes[free].sum())))
    found = np.flatnonzero(free & (sizes > limit))
    ordered: list[int] = found[np.argsort(-sizes[found], kind="stable")].tolist()
    return tuple(
        LargeGroup(groups.keys[one], int(sizes[one]), plan.names[int(placed[one])]) for one in ordered
    )
