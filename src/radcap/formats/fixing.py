"""Repair what is safe in a run file and list every change; never invent a prediction.

Invariant: each image keeps the prediction it had. A row that cannot be repaired goes out as it came in
(at most its separator changes with that of the file), and the check of the new file names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from radcap.core import InputError, Level, Task, UsageError
from radcap.formats.cells import clean_id, join_concepts
from radcap.formats.codes import CODES
from radcap.formats.findings import Findings
from radcap.formats.packing import read_chunks
from radcap.formats.validation import Reader, Validation, expect
from radcap.formats.writing import format_cells, format_header, format_row, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.formats.dialects import Dialect
    from radcap.formats.expected import Expected
    from radcap.formats.rows import Row

__all__ = ["Change", "Repair", "fix_run"]

_CELLS = 2
_CUT_SHORT = frozenset({"RUN113", "RUN114"})  # the copy would lack what lies behind the limit
_STRAY = re.compile("[\udc80-\udcff]")  # a byte that was no UTF-8
_UNDEFINED = frozenset({0x81, 0x8D, 0x8F, 0x90, 0x9D})
_DEFINED = [byte for byte in range(0x80, 0x100) if byte not in _UNDEFINED]
_WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252") for byte in _DEFINED}


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the run, before and after."""

    line: int
    before: str
    after: str

    def to_json(self) -> dict[str, Any]:
        return {"line": self.line, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class Repair:
    """What was found, what was changed, and what is left."""

    before: Validation
    after: Validation
    changes: tuple[Change, ...]
    moved: int  # rows that stand at another place than before
    line_ends: int  # CR and CRLF that became LF

    @property
    def repaired(self) -> dict[str, int]:
        """How many findings of each code are gone."""
        gone = {code: n - self.after.counts.get(code, 0) for code, n in self.before.counts.items()}
        return {code: n for code, n in gone.items() if n > 0 and CODES[code].fixable}

    def to_json(self) -> dict[str, Any]:
        return {
            **self.after.to_json(),
            "repaired": self.repaired,
            "moved": self.moved,
            "line_ends": self.line_ends,
            "changes": [change.to_json() for change in self.changes],
        }


def fix_run(
    run: Path | str,
    out: Path | str,
    task: Task | str,
    *,
    ids: Path | str | None = None,
    truth: Path | str | None = None,
    edition: str = "2026",
    strict: bool = False,
    force: bool = False,
) -> Repair:
    """Write a repaired copy of a run to `out`, in the dialect of the edition and the order of the ids."""
    path, out, task = Path(run), Path(out), Task(task)
    expected = expect(task, ids=ids, truth=truth, edition=edition)
    if out.exists() and (not force or (path.exists() and out.samefile(path))):
        raise UsageError(
            f"{out} is already there. Nothing was overwritten. Choose another name for the copy."
        )
    before = Reader(path, task, edition, expected, strict=strict).check()
    if not _CUT_SHORT.isdisjoint(before.counts):
        raise _unreadable(before, "cannot be read whole")
    reader = Reader(path, task, edition, expected)
    rows = [_repair(row, reader.dialect, expected) for row in reader.rows()]
    kept = [mended for mended in rows if mended.text]
    if not any(mended.image_id in expected for mended in kept):
        raise _unreadable(before, "has no row to repair")
    if not all(mended.portable for mended in kept):
        raise _unreadable(before, "cannot be read whole")
    ordered = _sorted(kept, expected)
    header = format_header(reader.dialect)
    write_lines([*header, *(row.text for row in ordered)], out)
    after = Reader(out, task, edition, expected, strict=strict).check()
    changes = (*_header_change(reader.header, "".join(header)), *_row_changes(rows))
    moved = sum(old is not new for old, new in zip(kept, ordered, strict=True))
    return Repair(before, after, changes, moved, _line_ends(reader))


def _line_ends(reader: Reader) -> int:
    """How many line ends were not LF; no edition refuses them, but the copy has others."""
    chunks = read_chunks(reader.path, Findings(reader.dialect), reader.limits)
    return sum(chunk.count(b"\r") for chunk in chunks)


class _Mended(NamedTuple):
    """A row as it was, the id it is taken for, and the line to write: nothing for a row of empty cells."""

    line: int
    image_id: str
    source: str
    text: str
    closed: bool  # false behind a quote that never closes
    portable: bool  # such a row cannot be carried to another separator


def _unreadable(found: Validation, what: str) -> InputError:
    errors = [issue for issue in found.issues if issue.level is Level.ERROR]
    errors.sort(key=lambda issue: issue.code not in {*_CUT_SHORT, "RUN112"})
    why = f" {errors[0].message}" if errors else ""
    return InputError(f"{found.path} {what}.{why} Nothing was written.", found.issues, found.path)


def _sorted(rows: list[_Mended], expected: Expected) -> list[_Mended]:
    """Rows in the order of the ids; behind a quote that never closes a row must not change its neighbour."""
    if not all(mended.closed for mended in rows):
        return rows
    return sorted(rows, key=lambda mended: expected.position.get(mended.image_id, len(expected)))


def _header_change(header: Row | None, text: str) -> Iterator[Change]:
    before = "" if header is None else _source(header)
    if before != text:
        yield Change(1 if header is None else header.line, before, text)


def _row_changes(rows: list[_Mended]) -> Iterator[Change]:
    for mended in rows:
        if mended.source != mended.text:
            yield Change(mended.line, mended.source, mended.text)


def _source(row: Row) -> str:
    return "\n".join((row.raw, *row.breaks))


def _repair(row: Row, form: Dialect, expected: Expected) -> _Mended:
    source = _source(row)
    image_id, text = _repaired(row, source, form, expected)
    portable = row.closed or row.separator == form.separators[0]
    text = source if text == source else text  # most rows are right, and need not be kept twice
    return _Mended(row.line, image_id, source, text, row.closed, portable)


def _repaired(row: Row, source: str, form: Dialect, expected: Expected) -> tuple[str, str]:
    """The id of a row and the line to write for it; an unknown id tells that the row was misread."""
    cells = [_recover(cell) for cell in row.cells]
    image_id = clean_id(cells[0], expected.__contains__)
    readable, cell = _read_cell(row, cells, form)
    if not any(cell.strip() for cell in cells):
        return image_id, ""
    if readable and image_id in expected:
        return image_id, format_row(image_id, cell, form)
    if row.closed and row.separator != form.separators[0]:
        return image_id, format_cells(row.cells, form)
    return image_id, source


def _read_cell(row: Row, cells: list[str], form: Dialect) -> tuple[bool, str | None]:
    """The prediction of a row, if there is exactly one way to read it."""
    if not row.closed:
        return False, None
    if len(cells) <= _CELLS:
        return True, cells[1] if len(cells) == _CELLS else None
    if form.task is Task.CONCEPTS:
        joined = join_concepts(cells[1:])
        return joined is not None, joined
    return form.quoting and not row.quoted, row.separator.join(cells[1:])


def _recover(text: str) -> str:
    """Bytes that are no UTF-8, read as Windows-1252; the few that are undefined there stay as they are."""
    return text.translate(_WINDOWS) if _STRAY.search(text) else text
