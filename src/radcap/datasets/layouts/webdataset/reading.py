"""Read the samples of tar files that anybody wrote.

Invariant: every sample is a record; what in it is neither image nor label is named once for each ending.
"""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from radcap.datasets.columns import NAMES, empty_table, make_table
from radcap.datasets.layouts.caption_sources import with_known_sources
from radcap.datasets.layouts.json_rows import NoObject, columns_of, parse_object
from radcap.datasets.layouts.repeats import check_ids
from radcap.datasets.layouts.split_names import split_of
from radcap.datasets.layouts.tables import stacked
from radcap.datasets.stores.file_names import is_image
from radcap.datasets.stores.tar_members import TarImages, read_members
from radcap.formats import named, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.datasets.findings import Findings
    from radcap.datasets.stores.tar_headers import Member

__all__ = ["read_samples"]

_LABELS = ("json", "txt", "text", "caption", "cls", "id")
_Sample = dict[str, "Member"]


def read_samples(paths: Sequence[Path], folder: Path, findings: Findings) -> tuple[pa.Table, TarImages]:
    """The records of all shards, and the store of their images."""
    tables: list[pa.Table] = []
    places: list[tuple[str, int]] = []
    for number, path in enumerate(paths):
        file = path.relative_to(folder).as_posix()
        shard = _Shard(path, file, findings)
        if shard.samples:
            tables.append(shard.table(number))
            places += ((file, row) for row in range(1, tables[-1].num_rows + 1))
    table = stacked(tables) if tables else empty_table()
    check_ids(table["image_id"], places.__getitem__, findings)
    return table, TarImages(tuple(paths))


class _Shard:
    """One tar, its members grouped into samples."""

    def __init__(self, path: Path, file: str, findings: Findings) -> None:
        self._path = path
        self._file = file
        self._findings = findings
        self.samples: dict[str, _Sample] = {}
        for member in read_members(path, findings, file):
            self._group(member)

    def _group(self, member: Member) -> None:
        folder, slash, base = member.name.rpartition("/")
        stem, _, ending = base.partition(".")
        if not stem:
            return  # hidden files, such as those a Mac adds
        key = f"{folder.removeprefix('./')}{slash}{stem}" if folder != "." else stem
        sample = self.samples.setdefault(key, {})
        if ending.lower() in sample:
            self._findings.add("DAT201", self._file, id=named(key), first=shown(member.name))
        sample[ending.lower()] = member

    def table(self, number: int) -> pa.Table:
        self._name_others()
        rows = self._rows()
        if any("image" in row for row in rows):
            found = "what the member beside it should say"
            self._findings.add("DAT112", self._file, column="image", file=shown(self._file), found=found)
        told = split_of(self._file)
        columns = columns_of(rows)
        columns["image"] = [self._image(number, key, sample) for key, sample in self.samples.items()]
        columns["split"] = [str(row["split"]) if row.get("split") is not None else told for row in rows]
        ids: list[str] = columns.get("image_id", [""] * len(rows))
        columns["image_id"] = [one or key for one, key in zip(ids, self.samples, strict=True)]
        table = make_table(columns, len(rows))
        captions = with_known_sources(table["captions"], self._file, self._findings)
        return table.set_column(NAMES.index("captions"), "captions", captions)

    def _rows(self) -> list[dict[str, Any]]:
        with self._path.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
            return [self._row(sample, data) for sample in self.samples.values()]

    def _row(self, sample: _Sample, data: mmap) -> dict[str, Any]:
        """The labels of a sample: its JSON, and what small files add to it."""
        row: dict[str, Any] = {}
        if "json" in sample:
            row = self._object(sample["json"], data)
        text = next((name for name in ("txt", "text", "caption") if name in sample), None)
        if text and "captions" not in row and "caption" not in row:
            row["caption"] = _text(sample[text], data)
        for name in ("cls", "id"):
            if name in sample and name not in row:
                row[name] = _text(sample[name], data).strip()
        return row

    def _object(self, member: Member, data: mmap) -> dict[str, Any]:
        try:
            return parse_object(data[member.offset : member.offset + member.size])
        except NoObject as error:
            where = f"{shown(member.name)} of {shown(self._file)}"
            self._findings.add("DAT104", self._file, file=where, why=str(error))
            return {}

    def _image(self, number: int, key: str, sample: _Sample) -> str:
        images = [ending for ending in sample if is_image(f"x.{ending}")]
        plain = [ending for ending in images if "." not in ending] or images
        if len(plain) > 1:
            first, second = (shown(sample[ending].name) for ending in plain[:2])
            self._findings.add("DAT305", self._file, id=named(key), first=first, second=second)
        return TarImages.key(number, sample[plain[0]]) if plain else ""

    def _name_others(self) -> None:
        endings = {ending for sample in self.samples.values() for ending in sample}
        for ending in sorted(endings):
            if ending not in _LABELS and not is_image(f"x.{ending}"):
                self._findings.add("DAT107", self._file, file=f"*.{ending} in {shown(self._file)}")


def _text(member: Member, data: mmap) -> str:
    return data[member.offset : member.offset + member.size].decode("utf-8", "replace")
