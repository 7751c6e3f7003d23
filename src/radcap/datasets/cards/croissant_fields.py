"""The records of a dataset in the words of Croissant: sets of records, their fields, and where these lie.

Invariant: a field names a column, or a key of a JSON file, that the layout really writes.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from radcap.datasets.cards.croissant_files import SETS, identifier
from radcap.datasets.layouts.fields import further
from radcap.datasets.layouts.parquet.schema import OWN_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from radcap.datasets.dataset import Dataset

__all__ = ["record_sets"]

_LISTS = ("cui", "cui_manual")
_FIRST_LINE = 1 << 16


def record_sets(dataset: Dataset, files: Sequence[Path], folder: Path, layout: str) -> list[dict[str, Any]]:
    """One set of all records where a layout has them whole, else one for each table."""
    if layout == "webdataset":
        return [_record_set("records", list(_samples()))]
    if layout in SETS:
        return [_record_set("records", list(_fields(dataset, layout)))]
    tables = ((path, path.relative_to(folder).as_posix()) for path in files if path.suffix == ".csv")
    return [one for path, name in tables if (one := _table(path, name))]


def _record_set(name: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _field(name: str, source: dict[str, Any], records: str = "records") -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": identifier(f"{records}/{name}"),
        "name": name,
        "dataType": "sc:Text",
        "source": source,
    }


def _samples() -> Iterator[dict[str, Any]]:
    """The labels of a sample as their JSON: Croissant 1.0 does not look into files of an archive."""
    for name, part in (("key", "filename"), ("labels", "content")):
        yield _field(name, {"fileSet": {"@id": SETS["webdataset"]}, "extract": {"fileProperty": part}})


def _fields(dataset: Dataset, layout: str) -> Iterator[dict[str, Any]]:
    """The columns of Parquet shards or of `metadata.csv`."""
    for name in (*OWN_ORDER, *further(dataset.table)):
        field = _field(name, {"fileSet": {"@id": SETS[layout]}, "extract": {"column": name}})
        if name == "image":
            if layout != "folder":
                yield field | {"dataType": "sc:ImageObject", "source": _within(field, "jsonPath", "bytes")}
        elif name == "captions":
            if layout == "folder":  # as JSON; a list of structs is more than Croissant 1.0 can say
                yield field
        elif name in _LISTS:
            source = _within(field, "separator", ";") if layout == "folder" else field["source"]
            yield field | {"repeated": True, "source": source}
        else:
            yield field


def _within(field: dict[str, Any], how: str, part: str) -> dict[str, Any]:
    """The source of a field with a transformation."""
    return field["source"] | {"transform": {how: part}}


def _table(path: Path, name: str) -> dict[str, Any] | None:
    """The columns of a CSV file with a header."""
    with path.open("rb") as file:
        line = file.read(_FIRST_LINE).partition(b"\n")[0].decode("utf-8-sig", "replace")
    columns: list[str] = next(csv.reader([line.rstrip("\r")]), list[str]())
    if len(columns) < 2 or len(set(columns)) < len(columns) or not all(columns):  # noqa: PLR2004
        return None
    source = {"fileObject": {"@id": identifier(name)}}
    fields = [_field(one, source | {"extract": {"column": one}}, f"records/{name}") for one in columns]
    return _record_set(identifier(f"records/{name}"), fields)
