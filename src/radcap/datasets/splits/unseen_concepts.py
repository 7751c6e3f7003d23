"""Concepts that train lacks, and the rule by which ROCOv2 removes them from the other splits.

Invariant: a manual concept is never removed, and train never changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.columns import NAMES
from radcap.datasets.lists import lengths, rows_of, shared_in_rows, single, where, without_rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.core.runs import Cui
    from radcap.datasets.dataset import Dataset

__all__ = ["Dropped", "Unseen", "find_unseen", "without_unseen"]

_TRAIN = "train"


@dataclass(frozen=True, slots=True)
class Unseen:
    """A concept that no record of train has."""

    cui: Cui
    manual: bool  # some record has it as a manual label
    images: int

    def to_json(self) -> dict[str, object]:
        return {"cui": self.cui, "manual": self.manual, "images": self.images}


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the rule took away."""

    concepts: tuple[Cui, ...] = ()
    labels: int = 0  # places where one of them stood
    emptied: tuple[str, ...] = ()  # ids of images that had automatic concepts and have none left

    def to_json(self) -> dict[str, object]:
        return {"concepts": list(self.concepts), "labels": self.labels, "emptied": list(self.emptied)}


def find_unseen(dataset: Dataset) -> tuple[Unseen, ...]:
    """Every concept outside train that train lacks, the most frequent first."""
    cui = single(dataset.column("cui"))
    marked = _unseen(dataset)
    values: list[Cui] = cui.flatten().filter(pa.array(marked)).to_pylist()
    manual = set(single(dataset.column("cui_manual")).flatten().to_pylist())
    counted = Counter(one for _, one in set(zip(rows_of(cui)[marked].tolist(), values, strict=True)))
    found = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Unseen(one, one in manual, images) for one, images in found)


def without_unseen(dataset: Dataset) -> tuple[Dataset, Dropped]:
    """The dataset without automatic concepts that train lacks."""
    cui, manual = single(dataset.column("cui")), dataset.column("cui_manual")
    gone = _unseen(dataset) & ~shared_in_rows(cui, manual)
    kept = where(cui, ~gone)
    before, after = lengths(without_rows_of(cui, manual)), lengths(without_rows_of(kept, manual))
    lost = np.flatnonzero((before > 0) & (after == 0))
    ids = dataset.column("image_id").take(pa.array(lost, pa.int64())).to_pylist()
    concepts = sorted(set(cui.flatten().filter(pa.array(gone)).to_pylist()))
    table = dataset.table.set_column(NAMES.index("cui"), "cui", kept)
    return replace(dataset, table=table), Dropped(tuple(concepts), int(gone.sum()), tuple(ids))


def _unseen(dataset: Dataset) -> NDArray[np.bool_]:
    """For each concept of each record outside train whether train lacks it."""
    cui = single(dataset.column("cui"))
    values = cui.flatten()
    inside = pc.equal(dataset.column("split"), _TRAIN).to_numpy(zero_copy_only=False)[rows_of(cui)]
    seen = pc.unique(values.filter(pa.array(inside)))
    return ~inside & ~pc.is_in(values, seen).to_numpy(zero_copy_only=False)
