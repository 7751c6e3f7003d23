"""Faults that are planted in a synthetic dataset, so that checks have something to find at any size.

Invariant: the column `planted` says of each record what was done to it; all others are as they were.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from radcap.core import UsageError
from radcap.datasets.columns import NAMES

if TYPE_CHECKING:
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.synthetic.images import SyntheticImages

__all__ = ["NO_FAULTS", "Faults", "plant"]


@dataclass(frozen=True, slots=True)
class Faults:
    """How many records of the last split get each fault; none gets two."""

    duplicates: int = 0  # the same file as a record of the first split
    retouched: int = 0  # the same picture, a little paler
    groups: int = 0  # the group of a record of the first split
    broken: int = 0  # a file that breaks off
    missing: int = 0  # no file


NO_FAULTS = Faults()


def plant(dataset: Dataset, store: SyntheticImages, faults: Faults, seed: int) -> Dataset:
    """The dataset with its faults."""
    rng = np.random.default_rng([seed, 1])
    first, last = (_places(dataset, name) for name in (dataset.splits[0], dataset.splits[-1]))
    chosen = _chosen(rng.permutation(last).tolist(), faults)
    partners = {place: int(rng.choice(first)) for places in chosen.values() for place in places}
    copies = {place: partners[place] for place in (*chosen["duplicates"], *chosen["retouched"])}
    images = replace(
        store,
        copies=copies,
        retouched=frozenset(chosen["retouched"]),
        broken=frozenset(chosen["broken"]),
        missing=frozenset(chosen["missing"]),
    )
    table = _regrouped(dataset.table, {place: partners[place] for place in chosen["groups"]})
    said = [""] * len(dataset)
    for name, places in chosen.items():
        for place in places:
            said[place] = _said(name, dataset, partners[place])
    return replace(dataset, table=table.append_column("planted", pa.array(said, pa.string())), images=images)


def _places(dataset: Dataset, split: str) -> list[int]:
    return np.flatnonzero([one == split for one in dataset.column("split").to_pylist()]).tolist()


def _chosen(order: list[int], faults: Faults) -> dict[str, list[int]]:
    wanted = {one.name: int(getattr(faults, one.name)) for one in fields(Faults)}
    if min(wanted.values()) < 0 or sum(wanted.values()) > len(order):
        raise UsageError(
            f"{sum(wanted.values()):,} faults are wanted and the last split has {len(order):,} records. "
            "Each takes one fault: ask for fewer, or for more images."
        )
    parts = np.split(np.array(order), np.cumsum(list(wanted.values())))  # the last part stays as it is
    return {name: part.tolist() for name, part in zip(wanted, parts[:-1], strict=True)}


def _regrouped(table: pa.Table, partners: dict[int, int]) -> pa.Table:
    """The table with some records put into the groups of others."""
    places = np.arange(table.num_rows)
    for place, partner in partners.items():
        places[place] = partner
    groups = table["group"].combine_chunks().take(pa.array(places))
    return table.set_column(NAMES.index("group"), "group", groups)


def _said(name: str, dataset: Dataset, partner: int) -> str:
    if name in {"broken", "missing"}:
        return name
    return f"{name}: {dataset.table['image_id'][partner].as_py()}"
