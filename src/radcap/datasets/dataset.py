"""A dataset as one value, whatever layout it lies in.

Invariant: opening reads labels and no image; a dataset never changes, and what narrows it gives a new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import counted, unknown_name
from radcap.datasets.cards.card import Card
from radcap.datasets.columns import NAMES
from radcap.datasets.records import Caption, CaptionSource, ImageRef, Record
from radcap.datasets.selection import Selection, select
from radcap.datasets.stores import ImageStore, NoImages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from radcap.core.runs import Cui
    from radcap.datasets.findings import Finding
    from radcap.datasets.saving import Saved

__all__ = ["SPLITS", "Dataset"]

SPLITS = ("train", "valid", "test")
_BATCH = 1024  # records made at a time


@dataclass(frozen=True)
class Dataset:
    """Records in a table, images in a store. `table` has the columns of `datasets.columns`."""

    name: str
    table: pa.Table = field(repr=False)
    images: ImageStore = field(default_factory=NoImages, repr=False)
    names: Mapping[Cui, str] = field(default_factory=dict[str, str], repr=False)  # of concepts
    card: Card = field(default_factory=lambda: Card(""), repr=False)
    layout: str = ""
    path: Path | None = None
    findings: tuple[Finding, ...] = field(default=(), repr=False)  # what opening found
    found: int = -1  # records that were read, before any were left out

    def __post_init__(self) -> None:
        if self.found < 0:
            object.__setattr__(self, "found", self.table.num_rows)

    def __len__(self) -> int:
        return self.table.num_rows

    def __iter__(self) -> Iterator[Record]:
        for start in range(0, len(self), _BATCH):
            for row in self.table.slice(start, _BATCH).to_pylist():
                yield self._record(row)

    @overload
    def __getitem__(self, key: int | str) -> Record: ...
    @overload
    def __getitem__(self, key: slice) -> Dataset: ...
    def __getitem__(self, key: int | str | slice) -> Record | Dataset:
        """A record by its place or its id, or a part of the dataset."""
        if isinstance(key, slice):
            return self.take(np.arange(len(self))[key])
        if isinstance(key, str):
            return self._record(self.table.slice(self._place(key), 1).to_pylist()[0])
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError(f"{self.name} has {counted(len(self), 'record')}; there is none at {key}.")
        return self._record(self.table.slice(place, 1).to_pylist()[0])

    def _repr_html_(self) -> str:
        from radcap.datasets.notebooks import dataset_html

        return dataset_html(self)

    @property
    def ids(self) -> list[str]:
        return self.column("image_id").to_pylist()

    @cached_property
    def splits(self) -> tuple[str, ...]:
        """The splits there are: train, valid, test, then any others by name."""
        there: list[str] = sorted(pc.unique(self.column("split")).to_pylist())
        return (*(one for one in SPLITS if one in there), *(one for one in there if one not in SPLITS))

    def column(self, name: str) -> Any:
        """A column as one Arrow array."""
        return self.table.column(name).combine_chunks()  # type: ignore[union-attr]

    def split(self, name: str) -> Dataset:
        """The records of one split; an unknown one is refused with the nearest."""
        if name not in self.splits:
            raise unknown_name("split", name, self.splits)
        return self.filter(pc.equal(self.column("split"), name))

    def filter(self, keep: Any) -> Dataset:
        """The records that a Boolean array marks."""
        keep = pa.array(keep) if isinstance(keep, np.ndarray) else keep
        return replace(self, table=self.table.filter(keep), found=self.found)

    def take(self, places: Any) -> Dataset:
        """The records at these places, in this order."""
        return replace(self, table=self.table.take(pa.array(places, pa.int64())), found=self.found)

    def select(self, wanted: Selection) -> Dataset:
        """The labels and records that are wanted; see `Selection`."""
        return replace(self, table=select(self.table, wanted), found=self.found)

    def image(self, place: int) -> ImageRef:
        """The image at a place, without making the record."""
        return ImageRef(self.images, self.table["image"][place].as_py())

    def save(
        self,
        path: Path | str,
        layout: str = "parquet",
        *,
        progress: Callable[[str, int], None] | None = None,
    ) -> Saved:
        """Write the dataset in a layout; the folder must be new or empty."""
        from radcap.datasets.saving import save

        return save(self, path, layout, progress=progress)

    def _place(self, image_id: str) -> int:
        place = pc.index(self.table["image_id"], image_id).as_py()
        if place < 0:
            raise KeyError(f"{self.name} has no image {image_id!r}.")
        return place

    def _record(self, row: Mapping[str, Any]) -> Record:
        return Record(
            id=row["image_id"],
            split=row["split"],
            image=ImageRef(self.images, row["image"]),
            captions=_captions(row["captions"]),
            concepts=tuple(row["cui"]),
            manual=tuple(row["cui_manual"]),
            group=row["group"],
            source=row["source"],
            licence=row["licence"],
            attribution=row["attribution"],
            modality=row["modality"],
            details={name: row[name] for name in self._further},
        )

    @cached_property
    def _further(self) -> Sequence[str]:
        return self.table.column_names[len(NAMES) :]


def _captions(cell: Sequence[Mapping[str, str]]) -> tuple[Caption, ...]:
    return tuple(Caption(one["text"], CaptionSource(one["source"]), one["language"]) for one in cell)
