"""Tables and text of the code as Markdown.

Invariant: what the code says is shown as it stands; no sign of it is taken for a mark of Markdown or HTML.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report import Table

__all__ = ["drawn", "plain", "table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()) -> str:
    """A Markdown table. Cells are Markdown already; a bar inside one is escaped here.

    `numbers` are the columns that stand to the right.
    """
    marks = ["---:" if name in numbers else "---" for name in header]
    lines = [header, marks, *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def plain(text: str) -> str:
    """Text of the code as Markdown text: what looks like HTML or a mark is shown as it stands."""
    escaped = html.escape(text, quote=False)
    return "".join("\\" + sign if sign in "\\*_[]" else sign for sign in escaped)


def drawn(drawing: Table) -> str:
    """A table of the code; its first column names the row and is not broken."""
    rows = [[plain(row[0]).replace(" ", "&nbsp;"), *map(plain, row[1:])] for row in drawing.rows]
    return table(drawing.columns, rows)
