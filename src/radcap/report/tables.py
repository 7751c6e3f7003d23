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

from radcap.core.notebooks import html_table
from radcap.report.latex import latex_table
from radcap.report.markup import Markup, element

__all__ = ["Table", "digits"]

_LONG = 40  # letters from which a cell of a page may break


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

    def to_latex(self) -> str:
        """For a paper that loads booktabs; a title makes it a float with a caption."""
        sides = "".join("r" if name in self.right else "l" for name in self.columns)
        return latex_table(sides, self.columns, self.rows, self.title)

    def to_html(self) -> Markup:
        """A table whose rows are named by the first column of text; numbers stand on the right."""
        head = [element("th", name, scope="col", class_=self._class(name)) for name in self.columns]
        caption = element("caption", self.title) if self.title else ""
        body = map(self._html_row, self.rows)
        return element("table", caption, element("thead", element("tr", *head)), element("tbody", *body))

    def _repr_html_(self) -> str:
        return self.to_notebook()

    def to_notebook(self) -> str:
        """The first rows, for a cell of a notebook."""
        return html_table(self.columns, self.rows, len(self.rows), title=self.title, right=self.right)

    def _html_row(self, row: tuple[str, ...]) -> Markup:
        names = next((name for name in self.columns if name not in self.right), None)
        cells = [
            element("th", cell, scope="row", class_=self._class(name, cell))
            if name == names
            else element("td", cell, class_=self._class(name, cell))
            for name, cell in zip(self.columns, row, strict=True)
        ]
        return element("tr", *cells)

    def _class(self, column: str, cell: str = "") -> str | None:
        if column in self.right:
            return "n"
        return "long" if len(cell) > _LONG else None


def _markdown(cell: str) -> str:
    """A cell that stays one cell, and text: a page that draws Markdown takes tags for its own."""
    return " ".join(cell.replace("|", r"\|").replace("<", "&lt;").splitlines())


def _column(right: bool, cells: list[str]) -> list[str]:
    """The cells of a Markdown column, all as wide as the widest, the rule below the first."""
    width = max(map(len, cells))
    rule = "-" * (width + 1)
    head, *body = (f" {cell.rjust(width) if right else cell.ljust(width)} " for cell in cells)
    return [head, f"{rule}:" if right else f":{rule}", *body]


def digits(value: float) -> str:
    """Six digits, so that runs that tie at the usual four can be told apart."""
    return f"{value:.6f}"
