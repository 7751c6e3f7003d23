"""Checks of splits: their names and sizes, and what may not lie in two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from radcap.datasets.dataset import SPLITS
from radcap.datasets.survey.duplicates import Way
from radcap.formats import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
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
    """Groups, an article or a patient, with images in more than one split."""
    pairs = dataset.table.select(["group", "split"]).group_by(["group", "split"]).aggregate([])
    pairs = pairs.filter(pc.not_equal(pairs["group"], ""))
    counted = pc.value_counts(pairs["group"])
    torn = counted.field(0).filter(pc.greater(counted.field(1), 1))

    def fields(place: int) -> dict[str, object]:
        group = torn[place].as_py()
        splits: list[str] = pairs.filter(pc.equal(pairs["group"], group))["split"].to_pylist()
        return {"group": named(group), "splits": ", ".join(named(one) for one in _in_order(dataset, splits))}

    findings.add_each("DAT405", range(len(torn)), fields)


def _in_order(dataset: Dataset, splits: Sequence[str]) -> list[str]:
    return [split for split in dataset.splits if split in splits]


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
    _check_near(dataset, copies, images, findings)


@dataclass(frozen=True, slots=True)
class _Named:
    """What images are called in findings."""

    ids: list[str]
    splits: list[str]

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


def _check_near(dataset: Dataset, copies: Duplicates, images: _Named, findings: Findings) -> None:
    splits = dataset.column("split").dictionary_encode().indices.to_numpy()
    first, second = copies.near.T
    across = np.flatnonzero(splits[first] != splits[second]).tolist()

    def fields(place: int) -> dict[str, object]:
        way = copies.ways[place]
        turned = "" if way is Way.PLAIN else f", {way}"
        pair = images.pair(int(first[place]), int(second[place]))
        return {"distance": f"{copies.differences[place]:.3f}{turned}", **pair}

    findings.add_each("DAT404", across, fields)
