"""Rows of a table in text: CSV, TSV, with or without quotes.

Invariant: every line is part of a row here or of a finding. A quote that never closes costs its own line.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING

from radcap.vocabulary.sources.text_lines import LONGEST, lost_byte

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.text_lines import Line

__all__ = ["Cells", "find_separator", "read_rows"]

Cells = tuple[int, list[str]]

_SEPARATORS = ("\t", ",", ";", "|")
# How rows begin in the tables people keep: a CUI, an address, an id such as HP:0000118 or RID58.
_ROW = re.compile(r'"?(?:C\d{7}\b|https?://|[A-Za-z]+:?\d{2,}\b)')

_BEHIND = re.compile(r'"?C\d{7}"?([\t,;|])')  # names behind it may hold more commas than the row has cells


def find_separator(line: str) -> str:
    """The sign behind a CUI that starts the line, else the one that parts most cells."""
    behind = _BEHIND.match(line)
    if behind:
        return behind[1]
    return max(_SEPARATORS, key=lambda sign: (_count(line, sign), -_SEPARATORS.index(sign)))


def _count(line: str, sign: str) -> int:
    return sum(len(cells) for cells in csv.reader([line], delimiter=sign))


def read_rows(
    lines: Iterator[Line], separator: str, file: str, findings: Findings, *, quoted: bool = True
) -> Iterator[Cells]:
    """The cells of each row with the line it starts on; blank lines are passed over."""
    reader = _RowReader(lines, separator, quoted)
    for line, cells in reader.rows():
        if cells is None:
            findings.add("VOC213", file, line)
            continue
        lost = next((byte for byte in map(lost_byte, cells) if byte), None)
        if lost is not None:
            findings.add("VOC202", file, line, byte=lost)
        else:
            yield line, cells


class _RowReader:
    """Lines to rows; lines that were read too far wait in `_ahead`."""

    def __init__(self, lines: Iterator[Line], separator: str, quoted: bool) -> None:
        self._lines = lines
        self._separator = separator
        self._quoted = quoted
        self._ahead: deque[Line] = deque()

    def rows(self) -> Iterator[tuple[int, list[str] | None]]:
        while (numbered := self._next()) is not None:
            line, text = numbered
            if not text or text.isspace():
                continue
            if not self._quoted or '"' not in text:
                yield line, text.split(self._separator)
            else:
                yield line, self._cells(text)

    def _next(self) -> Line | None:
        return self._ahead.popleft() if self._ahead else next(self._lines, None)

    def _cells(self, text: str) -> list[str] | None:
        """The cells of a row with quotes, or nothing if one stays open."""
        taken: list[Line] = []
        further = self._further(len(text), taken)
        cells = next(csv.reader(chain((text,), further), delimiter=self._separator))
        if taken and taken[-1] is _OPEN:
            self._ahead.extendleft(reversed(taken[:-1]))
            return None
        return cells

    def _further(self, size: int, taken: list[Line]) -> Iterator[str]:
        """The next lines, which `csv.reader` asks for while a quote is open."""
        while (numbered := self._next()) is not None:
            taken.append(numbered)
            size += len(numbered[1]) + 1
            if size > LONGEST or _ROW.match(numbered[1]):
                break
            yield f"\n{numbered[1]}"
        taken.append(_OPEN)


_OPEN: Line = (0, "")  # the quote was still open where the row had to end
