"""Tables in text files, of any separator, as Arrow columns of text.

Invariant: every row of the file is a row here or a finding with its line. The quick reader is trusted only
where rows, line breaks inside cells and lines of the file add up; a file with anything odd is read again by
the exact reader of run files.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from radcap.datasets.findings import Findings
from radcap.datasets.lists import single
from radcap.datasets.text_tables.forms import CsvForm, form_of
from radcap.datasets.text_tables.rows import read_exactly
from radcap.formats.id_shapes import id_shape
from radcap.formats.lines import UTF8_MARK, UTF16_MARKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["CsvFile", "Lines", "other_kind", "read_csv", "read_csvs"]

Lines: TypeAlias = "Sequence[int] | NDArray[np.int64]"

_READERS = 2
_PIECE = 256 * 1024  # bytes that stay in the cache of a core
_LARGEST = 1 << 30  # bytes Arrow parses at a time
_OTHER_KINDS = {
    b"PK\x03\x04": "it is a zip under another name",
    b"PAR1": "it is a Parquet file under another name",
    b"\x1f\x8b": "it is a gzip file under another name",
}


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A table. Names are those of the header, in small letters; without header there are none."""

    name: str
    names: tuple[str, ...]
    columns: tuple[Any, ...]
    lines: Lines  # the line of each row
    spelled: tuple[str, ...] = ()  # the names as the header has them

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, *names: str) -> Any | None:
        """The first column that has one of these names."""
        place = self.place(*names)
        return None if place is None else self.columns[place]

    def place(self, *names: str) -> int | None:
        """Where that column stands."""
        return next((self.names.index(name) for name in names if name in self.names), None)


def read_csv(path: Path, findings: Findings, file: str = "") -> CsvFile:
    """The table of a file; `file` is what findings call it."""
    file = file or path.name
    data = path.read_bytes()
    kind = other_kind(data)
    if kind is not None:
        findings.add("DAT104", file, file=file, why=kind)
        return CsvFile(file, (), (), ())
    form = form_of(data)
    return _quick(data, form, file) or _exact(path, form, findings, file)


def other_kind(data: bytes) -> str | None:
    """What a file is that is no table of text at all."""
    return next((said for magic, said in _OTHER_KINDS.items() if data.startswith(magic)), None)


def read_csvs(files: Mapping[str, Path], findings: Findings) -> dict[str, CsvFile]:
    """Several tables by name, read side by side: Arrow leaves Python's lock while it parses."""
    order = sorted(files, key=lambda name: files[name].stat().st_size, reverse=True)
    heard = {name: Findings() for name in files}

    def read(name: str) -> CsvFile:
        return read_csv(files[name], heard[name], name)

    with ThreadPoolExecutor(_READERS) as readers:
        tables = dict(zip(order, readers.map(read, order), strict=True))
    pa.default_memory_pool().release_unused()  # twice the files, which Arrow would keep for later
    for one in heard.values():
        findings.extend(one.findings, one.counts)
    return tables


def _quick(data: bytes, form: CsvForm, file: str) -> CsvFile | None:
    """The table if every line is accounted for, and every row has the same number of cells."""
    if not data or b"\0" in data or data.startswith(UTF16_MARKS):
        return None
    if not data.endswith((b"\n", b"\r")):
        data += b"\n"  # inside a quote that never closes it is one line too many, and found so
    lines = _breaks(data) - bool(form.header)
    if not lines:
        empty = tuple(pa.array([], pa.string()) for _ in form.header)
        return CsvFile(file, _folded(form), empty, (), form.header)
    table = _parsed(data, form)
    if table is None:
        return None
    columns = tuple(column.chunk(0) if column.num_chunks == 1 else single(column) for column in table.columns)
    numbers = _lines(columns, lines, 1 + bool(form.header), form)
    return None if numbers is None else CsvFile(file, _folded(form), columns, numbers, form.header)


def _folded(form: CsvForm) -> tuple[str, ...]:
    return tuple(name.casefold() for name in form.header)


def _breaks(data: bytes) -> int:
    """Line ends of any system; numpy counts three times as fast as `bytes.count`."""
    view = np.frombuffer(data, np.uint8)
    pieces = (view[i : i + _PIECE] for i in range(0, len(view), _PIECE))
    ends = sum(int(np.count_nonzero(piece == ord("\n"))) for piece in pieces)
    return ends + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


def _parsed(data: bytes, form: CsvForm) -> pa.Table | None:
    try:
        return _arrow(data, form)
    except pa.ArrowInvalid:
        return None


def _arrow(data: bytes, form: CsvForm) -> pa.Table:
    """The whole file as one block: no row is cut, and columns come in one piece that needs no copy."""
    separator = form.separator.encode()
    width = len(form.header) or data.removeprefix(UTF8_MARK).partition(b"\n")[0].count(separator) + 1
    names = [f"f{i}" for i in range(width)]
    return pv.read_csv(
        pa.BufferReader(data),
        read_options=pv.ReadOptions(
            column_names=names,
            skip_rows=int(bool(form.header)),
            block_size=min(len(data) + 1, _LARGEST),
            use_threads=False,
        ),
        parse_options=pv.ParseOptions(
            delimiter=form.separator,
            quote_char='"' if form.quoted else False,
            newlines_in_values=form.quoted and b'"' in data,
        ),
        convert_options=pv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
    )


def _lines(columns: Sequence[Any], lines: int, start: int, form: CsvForm) -> Lines | None:
    """The line of each row, or nothing where rows and lines do not add up."""
    rows = len(columns[0])
    if rows == lines:
        open_end = any(column[-1].as_py().endswith(("\n", "\r")) for column in columns)
        return None if open_end else range(start, start + rows)  # a quote that never closes takes the end in
    inner = sum(_inner_breaks(column) for column in columns)
    if rows + int(np.sum(inner)) != lines or _swallows(columns, form):
        return None
    return start + np.arange(rows) + np.concatenate(([0], np.cumsum(inner)[:-1]))


def _inner_breaks(column: Any) -> Any:
    counts = [
        pc.count_substring(column, sign).to_numpy(zero_copy_only=False) for sign in ("\n", "\r", "\r\n")
    ]
    return counts[0].astype(np.int64) + counts[1] - counts[2]


def _swallows(columns: Sequence[Any], form: CsvForm) -> bool:
    """Whether a line inside a cell starts like a row: a quote did not close where it should."""
    is_id = id_shape(form.first.partition(form.separator)[0])
    broken = (column.filter(pc.match_substring(column, "\n")).to_pylist() for column in columns)
    further = (line for cells in broken for cell in cells for line in cell.split("\n")[1:])
    return any(is_id(line.partition(form.separator)[0].strip('" ')) for line in further)


def _exact(path: Path, form: CsvForm, findings: Findings, file: str) -> CsvFile:
    """The same by the reader that knows every trap; it is slower and names the line of each."""
    rows = read_exactly(path, form.separator, form.quoted, form.first, findings, file)
    width = len(form.header) or max(2, len(rows[0].cells) if rows else 0)
    kept = rows[bool(form.header) :]
    for row in kept:
        n = len(row.cells)
        # without header, a row without its second cell is an image without labels: the rules of 2017 allow it
        if n > width or (n < width and (form.header or width > 2 or not n)):  # noqa: PLR2004
            findings.add("DAT122", file, row.line, 1, n=n, width=width)
    padded = [(row.cells + [""] * width)[:width] for row in kept]
    columns = tuple(_texts([cells[i] for cells in padded]) for i in range(width))
    return CsvFile(file, _folded(form), columns, [row.line for row in kept], form.header)


def _texts(values: list[str]) -> Any:
    """Text that Arrow takes: bytes that are no UTF-8 were named as findings already."""
    return pa.array([value.encode("utf-8", "replace").decode() for value in values], pa.string())
