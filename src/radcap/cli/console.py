"""Where output goes: data to stdout, talk to stderr.

Invariant: nothing here computes; a table looks the same in a file as on a terminal, less the colours.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.report import Table

__all__ = ["print_json", "print_lines", "print_table", "say"]

_WIDTH_IN_FILES = 200


def print_json(value: object) -> None:
    """One JSON value, floats in full."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_lines(*lines: str) -> None:
    """Data, unwrapped; what cannot be shown in the terminal's encoding is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(line.encode(encoding, "backslashreplace").decode(encoding))


def say(*lines: str) -> None:
    """Talk."""
    for line in lines:
        print(line, file=sys.stderr)


def print_table(table: Table) -> None:
    """A table on stdout."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=table.title or None, title_justify="left", box=SIMPLE_HEAD, title_style="bold")
    for name in table.columns:
        drawn.add_column(name, justify="right" if name in table.right else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else _WIDTH_IN_FILES, highlight=False).print(drawn)
