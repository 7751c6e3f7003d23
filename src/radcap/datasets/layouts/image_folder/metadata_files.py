"""`metadata.csv` and `metadata.jsonl` of an image folder.

Invariant: every row of the file is a row here or a finding with its line.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from radcap.datasets.columns import CAPTIONS, COLUMNS, CUIS, captions_of_texts
from radcap.datasets.layouts.fields import ID_NAMES, captions_of, cuis_of, first_of, text_of
from radcap.datasets.layouts.json_rows import NoObject, columns_of, parse_object
from radcap.datasets.lists import single, split_cells
from radcap.datasets.text_tables.files import other_kind
from radcap.datasets.text_tables.forms import form_of
from radcap.formats import shown
from radcap.formats.lines import UTF16_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from radcap.datasets.findings import Findings

__all__ = ["METADATA_FILES", "csv_line", "read_metadata"]

METADATA_FILES = ("metadata.csv", "metadata.jsonl")
_SPECIAL = re.compile(r'[",\r\n]|^\s|\s$')
_TEXTS = ("file_name", "split", "group", "source", "licence", "attribution", "modality")
_OWN = frozenset({*COLUMNS, "file_name", "caption", "caption_source", "id"} - {"image"})
_MARK = b"\xef\xbb\xbf"
_HEADER = 64 * 1024  # bytes that hold it
_BLOCK = 1 << 20
_LARGEST_BLOCK = (1 << 31) - 1


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV. Every line break inside is quoted, which the writer of Python 3.11 forgets for some."""
    quoted = ('"' + one.replace('"', '""') + '"' if _SPECIAL.search(one) else one for one in cells)
    return ",".join(quoted) + "\n"


def read_metadata(path: Path, file: str, findings: Findings) -> dict[str, Any] | None:
    """Columns, `file_name` among them, and `image_id` and `split` where the file has them."""
    if path.suffix.lower() == ".csv":
        cells = _csv_cells(path, file, findings)
        return _csv_columns(cells) if cells is not None and _usable(cells, file, findings) else None
    rows = _json_rows(path, file, findings)
    names = dict.fromkeys(name for row in rows for name in row)
    return _json_columns(rows) if not rows or _usable(names, file, findings) else None


def _usable(names: Iterable[str], file: str, findings: Findings) -> bool:
    """Whether rows name their files. The column that is missing is named, and one that is too many."""
    names = tuple(names)
    if "file_name" not in names:
        found = ", ".join(shown(name) for name in names)
        findings.add("DAT106", file, file=shown(file), found=found, column="file_name")
        return False
    if "image" in names:
        findings.add("DAT112", file, column="image", file=shown(file), found="what file_name should say")
    return True


def _csv_columns(cells: dict[str, Any]) -> dict[str, Any]:
    chosen = first_of(cells, ID_NAMES)
    own = {*COLUMNS, "caption", "caption_source", chosen}
    columns: dict[str, Any] = {name: cells[name] for name in cells if name in _TEXTS or name not in own}
    if chosen is not None:
        columns["image_id"] = cells[chosen]
    columns["captions"] = _captions(cells)
    for name in ("cui", "cui_manual"):
        if name in cells:
            columns[name] = _lists(cells[name])
    return columns


def _csv_cells(path: Path, file: str, findings: Findings) -> dict[str, Any] | None:
    """All cells as text, by the names of the header."""
    data = path.read_bytes().removeprefix(_MARK)
    why_not = _why_no_table(data)
    if why_not is not None:
        findings.add("DAT104", file, file=shown(file), why=why_not)
        return None
    separator = form_of(data).separator
    first = io.StringIO(data[:_HEADER].decode("utf-8", "replace"), newline="")
    header = _known(next(csv.reader(first, delimiter=separator), list[str]()))
    bad: list[str] = []
    try:
        if len(set(header)) < len(header):
            raise pa.ArrowInvalid("two columns have the same name")
        table = _parsed(data, len(header), separator, bad)
    except pa.ArrowInvalid as error:
        findings.add("DAT104", file, file=shown(file), why=str(error).partition("\n")[0].rstrip("."))
        return None
    for why in bad:
        findings.add("DAT104", file, file=shown(file), why=why)
    return {name: single(table.column(place))[1:] for place, name in enumerate(header)}


def _why_no_table(data: bytes) -> str | None:
    """Why a file is no table in UTF-8, with the line that shows it."""
    kind = other_kind(data)
    if kind is not None or not data:
        return kind or "it holds 0 bytes"
    if data.startswith(UTF16_MARKS):
        return "it is UTF-16 and not UTF-8. Save it as CSV in UTF-8"
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"0x{data[error.start]:02X}"
        return f"line {line} holds the byte {byte}, which is no UTF-8. Save it as CSV in UTF-8"
    return None


def _known(header: list[str]) -> list[str]:
    """The header with our names in small letters, however they are written."""
    folded = [name.strip().casefold() for name in header]
    fits = {name for name in folded if name in _OWN and folded.count(name) == 1}
    return [low if low in fits else name for name, low in zip(header, folded, strict=True)]


def _parsed(data: bytes, width: int, separator: str, bad: list[str]) -> pa.Table:
    """The rows, the header among them; those of another width are told to `bad`."""

    def skipped(row: Any) -> str:
        bad.append(f"row {row.number} has {row.actual_columns} cells, the header has {row.expected_columns}")
        return "skip"

    names = [f"f{place}" for place in range(width)]
    block = min(max(len(data), _BLOCK), _LARGEST_BLOCK)  # a row must lie in one block
    return pv.read_csv(
        pa.BufferReader(data),
        pv.ReadOptions(column_names=names, block_size=block, use_threads=False),
        pv.ParseOptions(delimiter=separator, newlines_in_values=True, invalid_row_handler=skipped),
        pv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )


def _captions(cells: dict[str, Any]) -> Any:
    names = [name for name in ("captions", "caption", "caption_source") if name in cells]
    if "captions" in cells and pc.any(pc.not_equal(cells["captions"], "")).as_py():
        rows = zip(*(cells[name].to_pylist() for name in names), strict=True)
        return pa.array([captions_of(dict(zip(names, row, strict=True))) for row in rows], CAPTIONS)
    if "caption" not in cells:
        return pa.array([[]] * len(next(iter(cells.values()), ())), CAPTIONS)
    return captions_of_texts(cells["caption"], cells.get("caption_source"))


def _lists(cells: Any) -> Any:
    if pc.any(pc.starts_with(cells, "[")).as_py():
        return pa.array([cuis_of(cell) for cell in cells.to_pylist()], CUIS)
    return split_cells(cells)


def _json_rows(path: Path, file: str, findings: Findings) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(parse_object(line))
        except NoObject as error:
            findings.add("DAT104", file, number, 1, file=f"line {number} of {shown(file)}", why=str(error))
    return rows


def _json_columns(rows: list[dict[str, Any]]) -> dict[str, Any]:
    named = ("file_name", "split") if any("split" in row for row in rows) else ("file_name",)
    return columns_of(rows) | {name: [text_of(row.get(name)) for row in rows] for name in named}
