"""Write text tables in the dialect of an edition.

Invariant: where a form quotes, every cell comes back as it was; else `fits` tells which would not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["Form", "write_csv"]


@dataclass(frozen=True, slots=True)
class Form:
    """Separator, and whether cells that need it are quoted."""

    separator: str = ","
    quoted: bool = True

    def fits(self, cell: str) -> bool:
        """Whether a cell can be read back. No text table holds NUL."""
        if "\0" in cell:
            return False
        return self.quoted or not (self.separator in cell or "\n" in cell or "\r" in cell)

    def line(self, cells: Iterable[str]) -> str:
        """A row; what cannot be written becomes a blank."""
        if self.quoted:
            return self.separator.join(map(self._quote, cells))
        blanks = str.maketrans(dict.fromkeys((self.separator, "\n", "\r", "\0"), " "))
        return self.separator.join(cell.translate(blanks) for cell in cells)

    def _quote(self, cell: str) -> str:
        cell = cell.replace("\0", " ")
        if not _SPECIAL.search(cell) and self.separator not in cell:
            return cell
        doubled = cell.replace('"', '""')
        return f'"{doubled}"'


_SPECIAL = re.compile(r'["\r\n]')


def write_csv(path: Path, rows: Iterable[Sequence[str]], form: Form) -> None:
    """Rows as a file that appears whole or not at all; the header is a row like any other."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{form.line(row)}\n" for row in rows)
