"""The concept cell of a row.

Invariant: `take` returns the cell the edition's scorer reads, as it is written.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import Level
from radcap.formats.cells import (
    CLEAN_CONCEPTS,
    CUI,
    join_concepts,
    split_concepts,
    wrong_separator,
)
from radcap.formats.findings import Findings, named, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from radcap.formats.rows import Row

__all__ = ["ConceptCheck"]

_CELLS = 2
_SURPLUS = re.compile(r";\s*(?=;|\Z)|^\s*;")  # a ';' with nothing behind or before it


class ConceptCheck:
    """Takes the rows of a concept run one by one."""

    def __init__(self, findings: Findings, vocabulary: AbstractSet[str] | None = None) -> None:
        self._findings = findings
        self._vocabulary = vocabulary
        self._dialect = findings.dialect
        self._most = findings.dialect.max_cuis
        self._empty = 0
        self._without_modality = 0

    def take(self, row: Row, image_id: str) -> str | None:
        """The cell as the edition reads it; None for a row that is an id alone."""
        if len(row.cells) == 1:
            self._findings.add("RUN311", row.line, len(row.raw) + 1, id=named(image_id))
            self._note_absent(())
            return None
        cell = row.cells[1] if len(row.cells) == _CELLS else self._too_many_cells(row)
        if CLEAN_CONCEPTS.fullmatch(cell):
            parts = capitals = cell.split(";")
        else:
            self._check_untidy(row, cell)
            parts = split_concepts(cell, strip=self._dialect.strip_parts)
            capitals = list(map(str.upper, parts))
        self._check_number(row, parts, capitals)
        self._note_absent(capitals)
        if self._vocabulary is not None:
            self._check_vocabulary(row, parts, self._vocabulary)
        return cell

    def finish(self) -> None:
        """Report what only the whole file shows."""
        if self._empty:
            self._findings.add("RUN310", 0, 0, n=f"{self._empty:,}")
        if self._without_modality:
            self._findings.add("RUN312", 0, 0, n=f"{self._without_modality:,}")

    def _too_many_cells(self, row: Row) -> str:
        """A row with more than two cells: CUIs parted by the wrong sign, or something unreadable."""
        joined = join_concepts(row.cells[1:])
        if joined is not None:
            self._note_separator(row)
            return joined
        self._findings.add("RUN202", row.line, row.column(), n=f"{len(row.cells):,}", consequence="")
        return row.cells[1]

    def _note_separator(self, row: Row) -> None:
        if row.separator == ";":
            return  # RUN111 has said that the whole file is parted by the sign of the CUIs
        level = Level.WARNING if self._dialect.tolerant else Level.ERROR  # scorers count the columns
        cell, sign = shown(row.separator.join(row.cells[1:])), shown(row.separator)
        self._findings.add("RUN307", row.line, row.column(), level=level, cell=cell, separator=sign)

    def _check_untidy(self, row: Row, cell: str) -> None:
        if not cell:
            return
        if cell != cell.strip():
            self._findings.add("RUN306", row.line, row.column(), cell=shown(cell))
        if (surplus := _SURPLUS.search(cell)) is not None:
            self._findings.add("RUN303", row.line, row.column(surplus.start()))
        offset = 0
        for raw in cell.split(";"):
            if not CUI.fullmatch(raw):
                self._check_part(row, raw, offset)
            offset += len(raw) + 1

    def _check_part(self, row: Row, raw: str, offset: int) -> None:
        """A part that is no CUI as it stands; blanks around one matter only where the edition keeps them."""
        part = raw.strip() if self._dialect.strip_parts else raw
        if not part.strip() or CUI.fullmatch(part):
            return
        column = row.column(offset + len(raw) - len(raw.lstrip()))
        if CUI.fullmatch(part.upper()):
            self._findings.add("RUN305", row.line, column, cui=named(part))
        elif (sign := wrong_separator(part)) is not None:
            self._findings.add("RUN307", row.line, column, cell=shown(part), separator=shown(sign))
        else:
            self._findings.add("RUN304", row.line, column, text=shown(part))

    def _check_number(self, row: Row, parts: list[str], capitals: list[str]) -> None:
        if self._most is not None and len(parts) > self._most:
            self._findings.add("RUN301", row.line, row.column(), n=f"{len(parts):,}", limit=self._most)
        if len(set(capitals)) == len(parts):
            return
        spellings: dict[str, str] = {}
        for part, n in Counter(parts).items():
            if n > 1:
                cui = named(part) if part else "An empty part"
                self._findings.add("RUN302", row.line, row.column(), cui=cui, n=n)
            first = spellings.setdefault(part.upper(), part)
            if first != part:
                self._findings.add("RUN308", row.line, row.column(), first=named(first), second=named(part))

    def _note_absent(self, capitals: Sequence[str]) -> None:
        if not any(part.strip() for part in capitals):
            self._empty += 1
        if self._dialect.modalities and self._dialect.modalities.isdisjoint(capitals):
            self._without_modality += 1

    def _check_vocabulary(self, row: Row, parts: list[str], vocabulary: AbstractSet[str]) -> None:
        for part in parts:
            if CUI.fullmatch(part.upper()) and part.upper() not in vocabulary:
                self._findings.add("RUN309", row.line, row.column(), cui=named(part))
