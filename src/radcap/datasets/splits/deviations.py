"""How far each label and each split came out from what was wanted.

Invariant: a split that was not ours to choose has no deviation; what was got is what was wanted there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Deviation", "Labelled", "deviation_table", "deviations_of"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Which record has which label, and the splits there are to be."""

    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    labels: tuple[str, ...]
    splits: tuple[str, ...]

    def counts(self, splits: NDArray[np.int64], marked: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Records of each split (rows) in all and by label (columns)."""
        width = len(self.labels) + 1
        marked = np.ones(len(splits), bool) if marked is None else marked
        cells = splits[self.rows] * width + self.codes + 1
        cells = np.concatenate([splits[marked] * width, cells[marked[self.rows]]])
        return np.bincount(cells, minlength=len(self.splits) * width).reshape(-1, width)


@dataclass(frozen=True, slots=True)
class Deviation:
    """Records with a label, or all of them, in each split."""

    label: str
    wanted: Mapping[str, float]
    got: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.got.values())

    @property
    def worst(self) -> float:
        """The largest distance in any split, in records."""
        return max((abs(self.got[name] - self.wanted[name]) for name in self.got), default=0.0)

    def to_json(self) -> dict[str, object]:
        return {"label": self.label, "wanted": dict(self.wanted), "got": dict(self.got), "worst": self.worst}


def deviations_of(
    labelled: Labelled, splits: NDArray[np.int64], free: NDArray[np.bool_], shares: Mapping[str, float]
) -> tuple[Deviation, ...]:
    """All records first, then each label, the rarest last.

    `splits` are places in `labelled.splits`, one for each record; `shares` are those of the free records.
    """
    got = labelled.counts(splits)
    loose = labelled.counts(splits, free)
    wanted = got.astype(np.float64)
    for place, name in enumerate(labelled.splits):
        if name in shares:
            wanted[place] += shares[name] * loose.sum(axis=0) - loose[place]
    found = [
        Deviation(
            label,
            dict(zip(labelled.splits, wanted[:, at].tolist(), strict=True)),
            dict(zip(labelled.splits, got[:, at].tolist(), strict=True)),
        )
        for at, label in enumerate(("all records", *labelled.labels))
    ]
    return (found[0], *sorted(found[1:], key=lambda one: (-one.total, one.label)))


def deviation_table(deviations: Sequence[Deviation], names: Mapping[str, str]) -> Table:
    """Wanted and got of each split side by side; `names` are those of concepts."""
    splits = tuple(deviations[0].got)
    numbers = [f"{split} {what}" for split in splits for what in ("wanted", "got")]
    rows = [
        (
            names.get(one.label, one.label),
            f"{one.total:,}",
            *(cell for split in splits for cell in (f"{one.wanted[split]:,.1f}", f"{one.got[split]:,}")),
            f"{one.worst:,.1f}",
        )
        for one in deviations
    ]
    columns = ("label", "total", *numbers, "off by")
    return Table(columns, tuple(rows), "Labels by split", frozenset(columns[1:]))
