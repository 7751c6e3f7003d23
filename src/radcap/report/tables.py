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
        lines = [[_markdown(cell) for cell in line] for line in (self.columns, *self.rows)]
        columns = [
            _column(name in self.right, cells) for name, *cells in zip(self.columns, *lines, strict=True)
        ]
        return "\n".join(f"|{'|'.join(line)}|" for line in zip(*columns, strict=True))

    def to_csv(self) -> str:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()


def _markdown(cell: str) -> str:
    """A cell that stays one cell."""
    return " ".join(cell.replace("|", r"\|").splitlines())


def _column(right: bool, cells: list[str]) -> list[str]:
    """The cells of a Markdown column, all as wide as the widest, the rule below the first."""
    width = max(map(len, cells))
    rule = "-" * (width + 1)
    head, *body = (f" {cell.rjust(width) if right else cell.ljust(width)} " for cell in cells)
    return [head, f"{rule}:" if right else f":{rule}", *body]


def digits(value: float) -> str:
    """Six digits, so that runs that tie at the usual four can be told apart."""
    return f"{value:.6f}"
