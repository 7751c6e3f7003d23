"""Read the labels of Parquet files that anybody wrote.

Invariant: no byte of an image is read; a column of the wrong type is named, and so is every other one.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from radcap.datasets.columns import CAPTIONS, CUIS, captions_of_texts, make_table
from radcap.datasets.layouts.caption_sources import with_known_sources
from radcap.datasets.layouts.fields import ID_NAMES, captions_of, first_of
from radcap.datasets.layouts.parquet.types import WANTED, field_type, is_binary, plain_type
from radcap.datasets.layouts.split_names import split_of
from radcap.datasets.lists import single, split_cells
from radcap.datasets.stores.parquet_cells import ParquetImages
from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.datasets.findings import Findings

__all__ = ["check_parts", "read_labels"]

_PART = re.compile(r"^(.*)-(\d{5,})-of-(\d{5,})(.*)\.parquet$", re.IGNORECASE)
_TEXTS = ("split", "caption_source", "group", "source", "licence", "attribution", "modality")
_PARTS_NAMED = 5


def check_parts(names: Sequence[str], findings: Findings) -> None:
    """Name the shards that a set such as `train-00000-of-00003` lacks."""
    sets: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for name in names:
        if part := _PART.match(name):
            sets[part[1], part[3]].add(int(part[2]))
    for (prefix, total), there in sorted(sets.items()):
        wanted = (f"{prefix}-{n:0{len(total)}d}-of-{total}" for n in range(int(total)) if n not in there)
        missing = [name for name, _ in zip(wanted, range(_PARTS_NAMED + 1), strict=False)]
        if missing:
            more = " and more" if len(missing) > _PARTS_NAMED else ""
            said = ", ".join(shown(name) for name in missing[:_PARTS_NAMED]) + more
            findings.add("DAT109", "", file=shown(f"{prefix}-...-of-{total}"), n=int(total), missing=said)


def read_labels(images: ParquetImages, number: int, file: str, findings: Findings) -> pa.Table | None:
    """The records of one file, or nothing where it cannot be read."""
    path = images.paths[number]
    try:
        with pq.ParquetFile(path) as opened:
            columns = _Columns(opened, file, findings)
            if not columns.fit():
                return None
            return columns.table(images, number)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        why = str(error).strip().partition("\n")[0][:200].rstrip(".")
        findings.add("DAT104", file, file=shown(file), why=why or type(error).__name__)
        return None


class _Columns:
    """The columns of one file: which there are, whether their types fit, and what they hold."""

    def __init__(self, opened: pq.ParquetFile, file: str, findings: Findings) -> None:
        self._opened = opened
        self._file = file
        self._findings = findings
        self.types = {field.name: plain_type(field.type) for field in opened.schema_arrow}
        self.rows: int = opened.metadata.num_rows
        self._id = first_of(self.types, ID_NAMES)

    def fit(self) -> bool:
        """Whether the file can be read; every column that stands in the way is named."""
        names: list[str] = self._opened.schema_arrow.names
        twice = [name for name, n in Counter(names).items() if n > 1]
        if twice:
            why = f"several columns are called {', '.join(shown(name) for name in twice)}"
            self._findings.add("DAT104", self._file, file=shown(self._file), why=why)
            return False
        if self._id is None and "image" not in self.types:
            found = ", ".join(shown(name) for name in self.types)
            self._findings.add("DAT106", self._file, file=shown(self._file), found=found, column="image_id")
            return False
        wrong = [name for name in self.types if not self._fits(name)]
        for name in wrong:
            found, wanted = str(self.types[name]), WANTED[self._role(name)][1]
            self._findings.add(
                "DAT105", self._file, file=shown(self._file), column=name, found=found, wanted=wanted
            )
        return not wrong

    def _role(self, name: str) -> str:
        if name in _TEXTS or name == self._id:
            return "text"
        return {"cui_manual": "cui"}.get(name, name)

    def _fits(self, name: str) -> bool:
        kind, role = self.types[name], self._role(name)
        return role not in WANTED or pa.types.is_null(kind) or WANTED[role][0](kind)

    def table(self, images: ParquetImages, number: int) -> pa.Table:
        """The columns that every dataset has, then the others as text."""
        others = [name for name in self.types if name != self._id and self._role(name) not in WANTED]
        carried = [name for name in others if self._carries(name)]
        known = [name for name in self.types if name not in {"image", *others}]
        table = self._opened.read(columns=[*known, *carried])
        table.validate(full=True)  # text that is no UTF-8 is found here, not by whoever reads it first
        read = {name: single(table[name]) for name in (*known, *carried)}
        columns: dict[str, Any] = {"image": self._keys(images, number), "split": self._split(read)}
        columns["image_id"] = read[self._id] if self._id else self._ids(images, number)
        columns["captions"] = with_known_sources(self._captions(read), self._file, self._findings)
        for name in ("cui", "cui_manual"):
            if name in read:
                columns[name] = _lists(read[name])
        for name in (*_TEXTS[2:], *carried):
            if name in read:
                columns[name] = _texts(read[name])
        return make_table(columns, self.rows)

    def _keys(self, images: ParquetImages, number: int) -> Any:
        if "image" not in self.types or pa.types.is_null(self.types["image"]):
            return pa.array([""] * self.rows, pa.string())
        there = images.there(number)
        rows = pc.cast(pa.array(np.arange(self.rows)), pa.string())
        return pc.if_else(pa.array(there), pc.binary_join_element_wise(str(number), rows, ":"), "")

    def _ids(self, images: ParquetImages, number: int) -> Any:
        """Without a column of ids the file names serve, less their endings."""
        names = [images.name(f"{number}:{row}") for row in range(self.rows)]
        return pa.array([name.rpartition("/")[2].rpartition(".")[0] or name for name in names], pa.string())

    def _split(self, read: dict[str, Any]) -> Any:
        told = split_of(self._file)
        if "split" not in read:
            return pa.array([told], pa.string()).take(pa.array(np.zeros(self.rows, np.int64)))
        return read["split"].cast(pa.string()).fill_null(told)

    def _captions(self, read: dict[str, Any]) -> Any:
        if "captions" in read and read["captions"].type == CAPTIONS and _is_whole(read["captions"]):
            return read["captions"]
        names = [name for name in ("captions", "caption", "caption_source") if name in read]
        if any(pa.types.is_nested(read[name].type) for name in names):
            rows = zip(*(read[name].to_pylist() for name in names), strict=True)
            return pa.array([captions_of(dict(zip(names, row, strict=True))) for row in rows], CAPTIONS)
        texts = read.get("caption", pa.nulls(self.rows, pa.string()))
        sources = read.get("caption_source")
        return captions_of_texts(_texts(texts), None if sources is None else _texts(sources))

    def _carries(self, name: str) -> bool:
        """Whether a further column can be text; what cannot is named."""
        kind = self.types[name]
        if not is_binary(kind) and not (pa.types.is_struct(kind) and field_type(kind, "bytes") is not None):
            return True
        self._findings.add("DAT112", self._file, column=name, file=shown(self._file), found=str(kind))
        return False


def _is_whole(captions: Any) -> bool:
    """Whether nothing is null and every caption names its source."""
    values = captions.values
    fields: Iterable[Any] = (values.field(i) for i in range(values.type.num_fields))
    nulls = captions.null_count or values.null_count or any(one.null_count for one in fields)
    return not nulls and not pc.any(pc.equal(values.field("source"), "")).as_py()


def _lists(column: Any) -> Any:
    if pa.types.is_nested(column.type):
        return column.cast(CUIS) if not _null_values(column) else _cleaned(column)
    return split_cells(_texts(column))


def _null_values(column: Any) -> bool:
    return bool(column.null_count or column.flatten().null_count)


def _cleaned(column: Any) -> Any:
    rows: list[list[str | None] | None] = column.to_pylist()
    return pa.array([[one for one in row or () if one is not None] for row in rows], CUIS)


def _texts(column: Any) -> Any:
    """A column of anything as text: numbers as they print, lists as JSON."""
    if pa.types.is_nested(column.type):
        cells = [
            None if one is None else json.dumps(one, ensure_ascii=False, default=str)
            for one in column.to_pylist()
        ]
        return pa.array(cells, pa.string()).fill_null("")
    return column.cast(pa.string()).fill_null("")
