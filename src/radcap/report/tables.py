"""A table as a value, and the forms in which people want it.

Invariant: cells are text already; numbers were given their digits by whoever made the table.
>>> print(Table(("metric", "value"), (("f1", "0.5888"),), right=frozenset({"value"})).to_markdown())
| metric |  value |
|:-------|-------:|
| f1     | 0.5888 |
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

__all__ = ["Table", "digits"]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows; `right` names the columns that hold numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    right: frozenset[str] = frozenset()

    def to_markdown(self) -> str:
        widths = self._widths()
        rules = [
            f"{'-' * (width + 1)}:" if name in self.right else f":{'-' * (width + 1)}"
            for name, width in zip(self.columns, widths, strict=True)
        ]
        lines = [self._line(self.columns, widths), "|" + "|".join(rules) + "|"]
        return "\n".join([*lines, *(self._line(row, widths) for row in self.rows)])

    def to_csv(self) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()

    def _widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]

    def _line(self, cells: tuple[str, ...], widths: list[int]) -> str:
        aligned = (
            cell.rjust(width) if name in self.right else cell.ljust(width)
            for name, cell, width in zip(self.columns, cells, widths, strict=True)
        )
        return f"| {' | '.join(aligned)} |"


def digits(value: float) -> str:
    """Six digits, so that runs that tie at the usual four can be told apart."""
    return f"{value:.6f}"
