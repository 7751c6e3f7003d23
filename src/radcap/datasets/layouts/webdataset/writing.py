"""Write records as samples in tar files.

Invariant: a shard holds at most a thousand samples or 100 MB, and equal input gives equal bytes.
"""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

from radcap.datasets.caption_parts import unmarked_source
from radcap.datasets.layouts.fields import check_names
from radcap.datasets.layouts.safe_names import FileNames
from radcap.datasets.layouts.split_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.saving import Payload, Payloads

__all__ = ["write_samples"]

_SHARD_SAMPLES = 1000
_SHARD_BYTES = 100_000_000
_Sample = list[tuple[str, bytes]]


def write_samples(dataset: Dataset, folder: Path, payloads: Payloads) -> None:
    """All splits; one without records leaves a shard without samples."""
    check_names(dataset.table)
    source = unmarked_source(dataset.column("captions"))
    for split, prefix in FileNames.of(dataset.splits or ("train",)).items():
        names = FileNames(dots=False)
        samples = (_sample(row, payload, names, source) for row, payload in rows_of(dataset, split, payloads))
        _write_shards(samples, folder, prefix)


def _sample(row: Mapping[str, Any], payload: Payload, names: FileNames, source: str) -> _Sample:
    """The members of a record; the text member takes captions of one source, since it names none."""
    key = names.give(payload.id)
    fields = {name: value for name, value in row.items() if name != "image"}
    text = next((one["text"] for one in row["captions"] if one["source"] == source), "")
    members = [
        (f"{key}.json", json.dumps(fields, ensure_ascii=False).encode()),
        (f"{key}.txt", text.encode()),
    ]
    image = [] if payload.data is None else [(f"{key}{payload.ending or '.bin'}", payload.data)]
    return [*image, *members]


def _write_shards(samples: Iterator[_Sample], folder: Path, prefix: str) -> None:
    sample = next(samples, None)
    number = 0
    while sample is not None or not number:
        with tarfile.open(folder / f"{prefix}-{number:06d}.tar", "w", format=tarfile.GNU_FORMAT) as tar:
            count = 0
            while sample is not None and count < _SHARD_SAMPLES and (not count or tar.offset < _SHARD_BYTES):
                for name, data in sample:
                    tar.addfile(_header(name, data), io.BytesIO(data))
                count += 1
                sample = next(samples, None)
        number += 1


def _header(name: str, data: bytes) -> tarfile.TarInfo:
    """A header that tells name and size and nothing of the machine; time and owner stay zero."""
    header = tarfile.TarInfo(name)
    header.size = len(data)
    return header
