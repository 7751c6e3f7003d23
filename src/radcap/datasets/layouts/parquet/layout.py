"""Datasets in Parquet: our own shards, and the form of Hugging Face.

Invariant: both are read the same way, from whichever folder the files lie in.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from radcap.datasets.columns import empty_table
from radcap.datasets.layouts.parquet.reading import check_parts, read_labels
from radcap.datasets.layouts.parquet.schema import HUGGING_FACE_FIRST, OWN_ORDER
from radcap.datasets.layouts.parquet.writing import write_parquet
from radcap.datasets.layouts.repeats import check_ids
from radcap.datasets.layouts.split_names import tells_split
from radcap.datasets.layouts.tables import stacked
from radcap.datasets.stores.entries import is_folder
from radcap.datasets.stores.parquet_cells import ParquetImages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.saving import Payloads
    from radcap.datasets.stores import ImageStore

__all__ = ["ParquetLayout", "column_order", "hugging_face", "own"]

_DATA = "data"
_FOLDERS = (_DATA, "default")  # of Hugging Face: as people upload, as its servers convert


@dataclass(frozen=True, slots=True)
class ParquetLayout:
    """Shards in the folder itself, or in `data`."""

    inside: str  # the folder of the shards
    order: tuple[str, ...]  # of the columns

    def recognises(self, folder: Path) -> bool:
        return any((one.parent == folder) != bool(self.inside) for one in _files(folder))

    def read(self, folder: Path, findings: Findings) -> tuple[pa.Table, ImageStore]:
        paths = tuple(sorted(_files(folder)))
        names = [path.relative_to(folder).as_posix() for path in paths]
        check_parts(names, findings)
        images = ParquetImages(paths, folder)
        tables: list[pa.Table] = []
        files: list[str] = []
        for number, name in enumerate(names):
            table = read_labels(images, number, name, findings)
            if table is not None:
                tables.append(table)
                files.append(name)
        starts = [0, *accumulate(table.num_rows for table in tables)]

        def where(row: int) -> tuple[str, int]:
            file = bisect_right(starts, row) - 1
            return files[file], row - starts[file] + 1

        table = stacked(tables) if tables else empty_table()
        check_ids(table["image_id"], where, findings)
        return table, images

    def write(self, dataset: Dataset, folder: Path, payloads: Payloads) -> None:
        write_parquet(dataset, folder / self.inside, payloads, self.order)


def own() -> ParquetLayout:
    """The layout that radcap writes unless told otherwise."""
    return ParquetLayout("", OWN_ORDER)


def hugging_face() -> ParquetLayout:
    """The layout that the library datasets opens without a script."""
    rest = (name for name in OWN_ORDER if name not in HUGGING_FACE_FIRST)
    return ParquetLayout(_DATA, (*HUGGING_FACE_FIRST, *rest))


def column_order(layout: str) -> tuple[str, ...]:
    """The columns of a layout as it writes them."""
    return hugging_face().order if layout == "hf" else OWN_ORDER


def _files(folder: Path, above: frozenset[str] = frozenset()) -> Iterator[Path]:
    """Parquet files here, in `data`, and in folders named after splits; circles of links are not followed."""
    real = os.path.realpath(folder)
    if real in above:
        return
    with os.scandir(folder) as entries:
        for one in entries:
            if one.name.startswith((".", "_")):
                continue
            if is_folder(one):
                if one.name.lower() in _FOLDERS or tells_split(one.name):
                    yield from _files(Path(one.path), above | {real})
            elif one.name.lower().endswith(".parquet"):
                yield Path(one.path)
