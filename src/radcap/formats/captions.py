"""The caption cell of a row.

Invariant: `take` returns the caption the edition's scorer reads, cut where that scorer cuts it.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from radcap.core import Level
from radcap.formats.findings import Findings, named, shown
from radcap.formats.rows import SEPARATOR_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.formats.rows import Row

__all__ = ["CaptionCheck", "most_frequent"]

_CELLS = 2
_LETTER = re.compile(r"[^\W_]")  # or a digit, of any script
_TOKENS = 512  # what BLEURT reads
_FEW_ROWS = 10  # below this a repeated caption says nothing


class CaptionCheck:
    """Takes the rows of a caption run one by one."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._dialect = findings.dialect
        self._hashes = array("q")

    def take(self, row: Row, image_id: str) -> str | None:
        """The caption as the edition reads it; None for a row that is an id alone."""
        if len(row.cells) == 1:
            self._findings.add("RUN203", row.line, len(row.raw) + 1, why="A caption is missing.")
            return None
        text = row.cells[1] if len(row.cells) == _CELLS else self._too_many_cells(row)
        if (
            self._dialect.linewise
            and len(row.cells) == _CELLS
            and not row.breaks
            and _bare(row.raw, row.separator)
        ):
            self._findings.add("RUN402", row.line, row.column())
        if row.breaks:
            self._check_breaks(row, image_id)
        self._check_text(row, image_id, text)
        self._hashes.append(hash(text))
        return text

    def finish(self) -> None:
        """Report what only the whole file shows."""
        most = most_frequent(self._hashes)
        if len(self._hashes) >= _FEW_ROWS and 2 * most > len(self._hashes):
            self._findings.add("RUN409", 0, 0, percent=f"{100 * most / len(self._hashes):.0f}")

    def _too_many_cells(self, row: Row) -> str:
        sign = SEPARATOR_NAMES[row.separator]
        if not self._dialect.quoting:
            self._findings.add("RUN406", row.line, row.column(len(row.cells[1])), separator=sign)
            return row.cells[1]
        if row.quoted:
            n, consequence = f"{len(row.cells):,}", ", the rest would be dropped"
            self._findings.add("RUN202", row.line, row.column(), n=n, consequence=consequence)
            return row.cells[1]
        if self._dialect.linewise or self._dialect.tolerant:
            self._findings.add("RUN402", row.line, row.column(len(row.cells[1])))
            return row.separator.join(row.cells[1:])
        kept, column = shown(row.cells[1]), row.column(len(row.cells[1]))
        self._findings.add("RUN403", row.line, column, kept=kept, separator=sign.removeprefix("a "))
        return row.cells[1]

    def _check_breaks(self, row: Row, image_id: str) -> None:
        lines = (row.raw, *row.breaks)
        shifts = any(not line.strip() or _bare(line, row.separator) for line in lines)
        level = Level.ERROR if self._dialect.linewise and shifts else None
        self._findings.add(
            "RUN404", row.line, row.column(), level=level, id=named(image_id), last=row.last_line
        )

    def _check_text(self, row: Row, image_id: str, text: str) -> None:
        if not text.strip():
            self._findings.add("RUN401", row.line, row.column(), id=named(image_id))
            return
        if not _LETTER.search(text):
            self._findings.add("RUN405", row.line, row.column(), caption=shown(text))
        if text[0].isspace() or text[-1].isspace():
            self._findings.add("RUN408", row.line, row.column(), id=named(image_id))
        if len(text) > _TOKENS and (n := len(text.split())) > _TOKENS:
            self._findings.add("RUN407", row.line, row.column(), id=named(image_id), n=f"{n:,}")


def _bare(line: str, separator: str) -> bool:
    """The test of the 2026 check: a further comma, and not all of it in quotes."""
    tail = line.partition(separator)[2]
    return separator in tail and not (tail.startswith('"') and tail.endswith('"') and len(tail) > 1)


def most_frequent(values: Iterable[int]) -> int:
    """How often the value occurs that makes up more than half, if there is one (Boyer and Moore's vote).

    >>> most_frequent([7, 7, 1, 7])
    3
    """
    candidate, lead = 0, 0
    for value in values:
        if lead == 0:
            candidate = value
        lead += 1 if value == candidate else -1
    return sum(value == candidate for value in values)
