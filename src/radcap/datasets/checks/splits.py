"""Checks of splits: their names and sizes, and what may not lie in two of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.columns import NAMES
from radcap.datasets.dataset import SPLITS
from radcap.datasets.splits.grouping import find_groups
from radcap.datasets.survey.duplicates import Way
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.splits.grouping import Groups
    from radcap.datasets.survey.duplicates import Duplicates

__all__ = ["check_copies", "check_groups", "check_splits"]


def check_splits(dataset: Dataset, findings: Findings) -> None:
    """Splits that nobody looks for, that are not there, or that are not whole."""
    for split in dataset.splits:
        if split not in SPLITS:
            findings.add("DAT402", split=named(split))
    if not len(dataset):
        findings.add("DAT401", split="of every name")
        return
    if dataset.found == len(dataset):  # else somebody asked for a part
        _check_card(dataset, findings)


def _check_card(dataset: Dataset, findings: Findings) -> None:
    there = ", ".join(named(split) for split in dataset.splits)
    sizes = dict.fromkeys((*SPLITS, *dataset.card.counts), 0)
    sizes |= {one["values"]: one["counts"] for one in pc.value_counts(dataset.column("split")).to_pylist()}
    for split, n in sizes.items():
        said = dataset.card.counts.get(split, n)
        if said and not n:
            findings.add("DAT401", split=named(split))
        elif said != n:
            findings.add("DAT409", split=named(split), said=said, n=n)
        elif not n and split in SPLITS:
            findings.add("DAT410", split=split, there=there)


def check_groups(dataset: Dataset, findings: Findings) -> None:
    """Groups, an article or a patient, with images in more than one split; versions of an article are one."""
    places = pa.array(np.arange(len(dataset))).cast(pa.string())
    # an id that repeats makes no group: it has a finding of its own
    groups = find_groups(dataset.table.set_column(NAMES.index("image_id"), "image_id", places))
    order = pa.array(dataset.splits, pa.string())
    homes_of = pc.index_in(dataset.column("split"), order).to_numpy(zero_copy_only=False)
    owners, homes = np.unique(np.stack([groups.numbers, homes_of])[:, groups.named], axis=1)
    torn = np.flatnonzero(np.bincount(owners, minlength=len(groups.keys)) > 1)

    def fields(group: int) -> dict[str, object]:
        there: list[int] = homes[owners == group].tolist()
        splits = ", ".join(named(dataset.splits[home]) for home in there)
        return {"group": named(_group_name(dataset, groups, group)), "splits": splits}

    findings.add_each("DAT405", torn.tolist(), fields)


def _group_name(dataset: Dataset, groups: Groups, group: int) -> str:
    """What its first image calls it; where that names none, the key that holds it together."""
    first = int(np.argmax(groups.numbers == group))
    return dataset.table["group"][first].as_py() or groups.keys[group]


def check_copies(dataset: Dataset, copies: Duplicates, findings: Findings) -> None:
    """Images that are there twice: errors between splits, worth knowing inside one."""
    images = _Named(dataset.ids, dataset.column("split").to_pylist())
    for group in copies.files:
        _check_group(images, group, "DAT403", "DAT406", findings)
    later = {place for group in copies.files for place in group[1:]}
    for group in copies.pixels:
        # of equal files the first was named already
        firsts = [place for place in group if place not in later]
        _check_group(images, firsts, "DAT407", "DAT408", findings)
    _check_near(copies, images, findings)


@dataclass(frozen=True, slots=True)
class _Named:
    """What images are called in findings."""

    ids: list[str]
    splits: list[str]

    def one_of_each_split(self, places: Sequence[int]) -> list[int]:
        """The first of these places in each split."""
        return list({self.splits[place]: place for place in reversed(places)}.values())[::-1]

    def pair(self, first: int, second: int) -> dict[str, Any]:
        return {
            "first": named(self.ids[first]),
            "second": named(self.ids[second]),
            "first_split": named(self.splits[first]),
            "second_split": named(self.splits[second]),
        }


def _check_group(images: _Named, group: Sequence[int], across: str, within: str, findings: Findings) -> None:
    """One finding for each copy: against the first of its split, or against the first of all."""
    firsts: dict[str, int] = {}
    for place in group:
        split = images.splits[place]
        if split in firsts:
            findings.add(within, split=named(split), **images.pair(firsts[split], place))
        elif firsts:
            findings.add(across, **images.pair(group[0], place))
        firsts.setdefault(split, place)


def _check_near(copies: Duplicates, images: _Named, findings: Findings) -> None:
    """One finding for each pair that lies in two splits, by itself or by a copy with the same pixels."""
    homes = {group[0]: images.one_of_each_split(group) for group in copies.pixels}
    found: list[tuple[int, int, int]] = []
    for place, (first, second) in enumerate(copies.near.tolist()):
        ends = product(homes.get(first, [first]), homes.get(second, [second]))
        across = next((pair for pair in ends if images.splits[pair[0]] != images.splits[pair[1]]), None)
        if across:
            found.append((place, *across))

    def fields(number: int) -> dict[str, object]:
        place, first, second = found[number]
        way = copies.ways[place]
        turned = "" if way is Way.PLAIN else f", {way}"
        return {"distance": f"{copies.differences[place]:.3f}{turned}", **images.pair(first, second)}

    findings.add_each("DAT404", range(len(found)), fields)
