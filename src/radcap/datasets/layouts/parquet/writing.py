"""Write records and images into Parquet shards.

Invariant: a shard has at most 10 MB unless a single image is larger, row groups are small, and equal input
gives equal bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from radcap.datasets.layouts.fields import check_names, further
from radcap.datasets.layouts.parquet.schema import IMAGE, schema
from radcap.datasets.layouts.safe_names import FileNames
from radcap.datasets.lists import lengths, single

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.saving import Payload, Payloads

__all__ = ["write_parquet"]

_SHARD_BYTES = 10_000_000
_GROUP_ROWS = 64
_GROUP_BYTES = 2_000_000  # of images
_FOOTER = 20_000  # bytes; schema and features stand in it twice
_CHUNK = 400  # bytes that one column of a row group takes in the footer, and its page header


@dataclass(frozen=True, slots=True)
class _Group:
    rows: Any  # a table
    size: int  # bytes of the values, before compression


def write_parquet(dataset: Dataset, folder: Path, payloads: Payloads, order: Sequence[str]) -> None:
    """All splits; a dataset without records leaves one shard without rows."""
    check_names(dataset.table)
    names = (*order, *further(dataset.table))
    folder.mkdir(exist_ok=True)
    for split, prefix in FileNames.of(dataset.splits or ("train",)).items():
        groups = _groups(dataset, payloads.of(split), schema(names))
        _write_shards(groups, folder, prefix, schema(names))


def _groups(dataset: Dataset, payloads: Iterable[Payload], form: Any) -> Iterator[_Group]:
    waiting: list[Payload] = []
    size = 0
    for payload in payloads:
        more = len(payload.data or b"")
        if waiting and (len(waiting) == _GROUP_ROWS or size + more > _GROUP_BYTES):
            yield _group(dataset, waiting, form)
            waiting, size = [], 0
        waiting.append(payload)
        size += more
    if waiting:
        yield _group(dataset, waiting, form)


def _group(dataset: Dataset, payloads: Sequence[Payload], form: Any) -> _Group:
    table = dataset.table.take(pa.array([one.place for one in payloads], pa.int64()))
    caption, source = _first_captions(single(table["captions"]))
    made = {"image": pa.array(map(_image, payloads), IMAGE), "caption": caption, "caption_source": source}
    columns = [made[name] if name in made else single(table[name]) for name in form.names]
    rows = pa.Table.from_arrays(columns, schema=form)
    return _Group(rows, rows.nbytes)  # type: ignore[attr-defined]


def _image(payload: Payload) -> dict[str, Any] | None:
    if payload.data is None:
        return None
    return {"bytes": payload.data, "path": f"{payload.id}{payload.ending}"}


def _first_captions(captions: Any) -> tuple[Any, Any]:
    """Text and source of the first caption of each row, empty where there is none."""
    there = lengths(captions) > 0
    starts = captions.offsets.to_numpy()[:-1]
    places = pa.array(np.where(there, starts, 0), mask=~there)
    values = captions.values
    return tuple(values.field(name).take(places).fill_null("") for name in ("text", "source"))  # type: ignore[return-value]


def _write_shards(groups: Iterator[_Group], folder: Path, prefix: str, form: Any) -> None:
    """Shards under passing names first: how many there are is known at the end."""
    written: list[Path] = []
    group = next(groups, None)
    while group is not None or not written:
        path = folder / f".{prefix}-{len(written):05d}"
        group = _write_shard(path, group, groups, form)
        written.append(path)
    for number, path in enumerate(written):
        path.replace(folder / f"{prefix}-{number:05d}-of-{len(written):05d}.parquet")


def _write_shard(path: Path, group: _Group | None, groups: Iterator[_Group], form: Any) -> _Group | None:
    """Fill a shard; the group that it has no room for is handed back."""
    labels = [name for name in form.names if name != "image"]
    chunks = _CHUNK * (len(form.names) + 3)  # image and captions are two and three columns
    taken = _FOOTER
    with (
        path.open("wb") as file,
        pq.ParquetWriter(
            file, form, compression="zstd", use_dictionary=labels, write_statistics=["image_id", "split"]
        ) as writer,
    ):
        while group is not None and (
            taken == _FOOTER or file.tell() + taken + group.size + chunks <= _SHARD_BYTES
        ):
            writer.write_table(group.rows, row_group_size=_GROUP_ROWS)
            taken += chunks
            group = next(groups, None)
    return group
