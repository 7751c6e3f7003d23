"""Values as a notebook shows them: small tables that need no style sheet and no script.

Invariant: what is written is bounded whatever the value holds (rows, columns and letters of a cell), every
text is escaped, and colours come from the notebook, so that light and dark both read well.
>>> "a &lt; b" in html_table(("name",), [("a < b",)], 1)
True
"""

from __future__ import annotations

import html
from itertools import islice
from typing import TYPE_CHECKING

from radcap.core.counts import counted
from radcap.core.signs import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = ["html_facts", "html_note", "html_picture", "html_table", "html_together"]

_ROWS = 20
_COLUMNS = 24
_LETTERS = 240  # of a cell
_NOTE = 1_200  # letters of a line below a table
_LINE = "border-bottom:1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.2em .7em .2em 0;vertical-align:top;background:none;{_LINE}"
_WHOLE = "white-space:nowrap"
_QUIET = "opacity:.75;font-size:.9em;margin:.3em 0"


def html_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    n: int,
    *,
    title: str = "",
    right: Collection[str] = (),
    noun: str = "row",
) -> str:
    """The first of `n` rows below a title; numbers stand on the right, and the rest is counted."""
    sides = [f"right;{_WHOLE}" if name in right else "left" for name in columns[:_COLUMNS]]
    head = _row("th", columns, sides)
    body = "".join(_row("td", row, sides) for row in islice(rows, _ROWS))
    rest = [counted(n - _ROWS, f"more {noun}")] if n > _ROWS else []
    rest += [counted(len(columns) - _COLUMNS, "more column")] if len(columns) > _COLUMNS else []
    scrolling = f'<div style="overflow-x:auto">{_table(f"<thead>{head}</thead><tbody>{body}</tbody>")}</div>'
    return html_together(_title(title), scrolling, html_note(f"and {' and '.join(rest)}" if rest else ""))


def html_facts(title: str, facts: Mapping[str, str]) -> str:
    """Names and what they stand for, a line each; facts without a word are left out."""
    lines = [(name, told) for name, told in facts.items() if told]
    body = "".join(
        _row("td", line, [f"left;{_WHOLE}", "left;overflow-wrap:anywhere"]) for line in islice(lines, _ROWS)
    )
    return html_together(_title(title), _table(body))


def html_note(text: str) -> str:
    """A quiet line, or nothing."""
    return f'<p style="{_QUIET}">{_escaped(text, _NOTE)}</p>' if text else ""


def html_picture(address: str, told: str, width: int, height: int) -> str:
    """A picture that lies in the page itself, with the words for those who do not see it."""
    shape = f'width="{width}" height="{height}" style="max-width:100%;height:auto"'
    return f'<img src="{html.escape(address)}" alt="{_escaped(told)}" {shape}>'


def html_together(*parts: str) -> str:
    """Parts one below the other, as one block."""
    return f"<div>{''.join(parts)}</div>"


def _title(text: str) -> str:
    return f'<p style="margin:.3em 0"><strong>{_escaped(text)}</strong></p>' if text else ""


def _table(rows: str) -> str:
    return f'<table style="border-collapse:collapse;margin:0">{rows}</table>'


def _row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    drawn = (
        f'<{tag} style="text-align:{side};{_CELL}">{_escaped(cell)}</{tag}>'
        for cell, side in zip(cells, sides, strict=False)  # columns beyond the last side are counted
    )
    return f"<tr>{''.join(drawn)}</tr>"


def _escaped(text: str, room: int = _LETTERS) -> str:
    """On one line, cut where it is long."""
    short = text if len(text) <= room else f"{text[:room]}\u2026"
    return html.escape(visible(short))
