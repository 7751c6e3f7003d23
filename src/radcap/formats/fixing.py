"""Repair what is safe in a run file and list every change; never invent a prediction.

Invariant: each image keeps the prediction it had. A row that cannot be repaired goes out as it came in,
and the check of the new file names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radcap.core import InputError, Level, Task, UsageError
from radcap.formats.cells import CUI, clean_id, split_concepts
from radcap.formats.codes import CODES
from radcap.formats.validation import Reader, Validation, expect
from radcap.formats.writing import format_header, format_row, write_lines

if TYPE_CHECKING:
    from radcap.formats.dialects import Dialect
    from radcap.formats.expected import Expected
    from radcap.formats.rows import Row

__all__ = ["Change", "Repair", "fix_run"]

_CELLS = 2
_STRAY = re.compile("[\udc80-\udcff]")  # a byte that was no UTF-8


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
    force: bool = False,
) -> Repair:
    """Write a repaired copy of a run to `out`, in the dialect of the edition and the order of the ids."""
    path, out, task = Path(run), Path(out), Task(task)
    expected = expect(task, ids=ids, truth=truth)
    if out.exists() and (not force or out.samefile(path)):
        raise UsageError(
            f"{out} is already there. Nothing was overwritten. Choose another name for the copy."
        )
    first = Reader(path, task, edition, expected)
    for _ in first.cells():
        pass
    second = Reader(path, task, edition, expected)
    rows = [(row, *_repair(row, second.dialect, expected)) for row in second.rows()]
    if not rows:
        raise _unreadable(first.validation())
    ordered = sorted(rows, key=lambda row: expected.position.get(row[1], len(expected)))
    write_lines([*format_header(second.dialect), *(text for _, _, text in ordered)], out)
    third = Reader(out, task, edition, expected)
    for _ in third.cells():
        pass
    changes = tuple(Change(row.line, _source(row), text) for row, _, text in rows if _source(row) != text)
    moved = sum(old is not new for old, new in zip(rows, ordered, strict=True))
    return Repair(first.validation(), third.validation(), changes, moved)


def _unreadable(found: Validation) -> InputError:
    errors = [issue for issue in found.issues if issue.level is Level.ERROR]
    why = f" {errors[0].message}" if errors else ""
    return InputError(f"{found.path} has no row to repair.{why} Nothing was written.", found.issues)


def _source(row: Row) -> str:
    return "\n".join((row.raw, *row.breaks))


def _repair(row: Row, form: Dialect, expected: Expected) -> tuple[str, str]:
    """The id of a row and the line to write for it."""
    image_id = clean_id(row.cells[0], expected.__contains__)
    readable, cell = _read_cell(row, form)
    if not readable or not image_id:
        return image_id, _source(row)
    return image_id, _recover(format_row(image_id, cell, form))


def _read_cell(row: Row, form: Dialect) -> tuple[bool, str | None]:
    """The prediction of a row, if there is exactly one way to read it."""
    if not row.closed:
        return False, None
    if len(row.cells) <= _CELLS:
        return True, row.cells[1] if len(row.cells) == _CELLS else None
    if form.task is Task.CONCEPTS:
        joined = ";".join(row.cells[1:])
        parts = split_concepts(joined, strip=True)
        return all(CUI.fullmatch(part.upper()) for part in parts if part), joined
    return form.quoting and not row.quoted, row.separator.join(row.cells[1:])


def _recover(text: str) -> str:
    """Bytes that are no UTF-8, read as Windows-1252; the few that are undefined there stay as they are."""
    return _STRAY.sub(lambda match: _windows(match[0]), text)


def _windows(stray: str) -> str:
    try:
        return bytes([ord(stray) - 0xDC00]).decode("cp1252")
    except UnicodeDecodeError:
        return stray
