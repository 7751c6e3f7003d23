"""From physical lines to rows of cells, for every dialect.

Invariant: cells are those Python's `csv.reader` finds (tested against it); lines and columns are true.
A quote that never closes is one finding: reading goes on at the next line that starts with a known id.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from radcap.core import Level
from radcap.formats.dialects import COMMA, PIPE, TAB, Header
from radcap.formats.lines import UTF8_MARK, recode, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.formats.findings import Findings
    from radcap.formats.limits import Limits

__all__ = ["SEPARATOR_NAMES", "Row", "read_rows"]

SEPARATOR_NAMES = {TAB: "a tab", PIPE: "'|'", COMMA: "a comma", ";": "a semicolon"}

_LOOKED_AT = 50  # lines that decide the separator
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARK_EFFECT = {
    Header.NONE: "takes it for a part of the first id",
    Header.CONTAINS_ID: "reads it as a part of the first cell",
    Header.NEEDED: "then misreads the header",
    Header.EXACT: "then misreads the header",
    Header.OPTIONAL: "passes over it",
}


class Row(NamedTuple):
    """One row. `raw` is the text of its first line; `breaks` are the further lines of a quoted cell."""

    line: int
    cells: list[str]
    raw: str
    separator: str
    breaks: tuple[str, ...] = ()
    closed: bool = True  # false if a quote was still open where the row had to end

    @property
    def last_line(self) -> int:
        return self.line + len(self.breaks)

    def column(self, offset: int = 0) -> int:
        """The column of a character of the second cell."""
        before = len(self.cells[0]) + 2 * self.raw.startswith('"')
        start = before + len(self.separator)
        if self.raw[start : start + 1] == '"':
            offset += 1 + self.cells[1][:offset].count('"')
        return start + offset + 1

    @property
    def quoted(self) -> bool:
        """Whether the second cell is written in quotes."""
        return self.raw.partition(self.separator)[2].startswith('"')


def read_rows(
    chunks: Iterator[bytes], findings: Findings, limits: Limits, is_id: Callable[[str], bool]
) -> Iterator[Row]:
    """Rows of a run, header included. Findings are collected, nothing stops the reading but a limit."""
    chunks, was_utf16 = recode(chunks)
    if was_utf16:
        findings.add("RUN105", 1, byte="0xFE or 0xFF, a UTF-16 mark,", offset=0)
    lines = split_lines(chunks, limits.line_bytes)
    first = list(islice(lines, _LOOKED_AT))
    marked = bool(first) and first[0].startswith(UTF8_MARK)
    if marked:
        _note_mark(first[0], findings)
        first[0] = first[0].removeprefix(UTF8_MARK)
    separator = _find_separator(first, findings)
    texts = _texts(chain(first, lines), len(UTF8_MARK) * marked, findings, limits)
    return _RowReader(texts, separator, findings, limits, is_id).rows()


def _note_mark(line: bytes, findings: Findings) -> None:
    """A byte-order mark spoils the first cell: that of a header may survive it, an id does not."""
    form = findings.dialect
    is_row = form.header is Header.NONE or (form.header is Header.CONTAINS_ID and b"ID" not in line)
    findings.add("RUN106", 1, level=Level.ERROR if is_row else None, consequence=_MARK_EFFECT[form.header])


def _find_separator(lines: list[bytes], findings: Findings) -> str:
    """The dialect's separator, or the one the file really uses, with a finding."""
    texts = [line.decode("utf-8", "replace") for line in lines if line.strip()]
    allowed = findings.dialect.separators
    for text in texts:
        here = [separator for separator in allowed if separator in text]
        if here:
            return min(here, key=text.index)
    for separator in (TAB, PIPE, COMMA, ";"):
        if separator not in allowed and 2 * sum(separator in text for text in texts) > len(texts):
            wanted = " or ".join(SEPARATOR_NAMES[choice] for choice in allowed)
            findings.add("RUN111", 1, found=SEPARATOR_NAMES[separator], wanted=wanted)
            return separator
    return allowed[0]


def _texts(
    lines: Iterator[bytes], offset: int, findings: Findings, limits: Limits
) -> Iterator[tuple[int, str]]:
    """Numbered lines as text; bytes that are no UTF-8 travel on as lone surrogates, so nothing is lost."""
    for number, ended in enumerate(lines, 1):
        line = ended.rstrip(b"\r\n")
        if number > limits.rows:
            size = f"More than {limits.rows:,} lines"
            findings.add("RUN113", number, size=size, limit=f"{limits.rows:,} lines for this task")
            return
        if len(line) > limits.line_bytes:
            size = f"A line of more than {limits.line_bytes:,} bytes"
            findings.add("RUN113", number, size=size, limit=f"{limits.line_bytes:,} bytes a line")
            continue
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte, place = f"0x{line[error.start]:02X}", offset + error.start
            column = len(line[: error.start].decode()) + 1
            findings.add("RUN105", number, column, byte=byte, offset=place)
            text = line.decode("utf-8", "surrogateescape")
        if (control := _CONTROL.search(text)) is not None:
            level = None if control[0] == "\0" else Level.WARNING  # scorers read the others as text
            findings.add("RUN115", number, control.start() + 1, level=level, byte=f"0x{ord(control[0]):02X}")
        offset += len(ended)
        yield number, text


class _RowReader:
    """Lines to rows under one separator."""

    def __init__(
        self,
        texts: Iterator[tuple[int, str]],
        separator: str,
        findings: Findings,
        limits: Limits,
        is_id: Callable[[str], bool],
    ) -> None:
        self._texts = texts
        self._separator = separator
        self._findings = findings
        self._limits = limits
        self._is_id = is_id

    def rows(self) -> Iterator[Row]:
        quoting = self._findings.dialect.quoting or self._separator in {COMMA, ";"}
        separator = self._separator
        pending: tuple[int, str] | None = None
        while (numbered := pending or next(self._texts, None)) is not None:
            pending = None
            line, text = numbered
            if not text or text.isspace():
                self._findings.add("RUN201", line)
            elif not quoting or '"' not in text:
                yield Row(line, text.split(separator), text, separator)
            else:
                quoted = _QuotedRow(separator)
                pending = self._read_quoted(quoted, line, text)
                yield Row(line, quoted.cells, text, separator, tuple(quoted.breaks), quoted.closed)

    def _read_quoted(self, row: _QuotedRow, line: int, text: str) -> tuple[int, str] | None:
        """Feed lines to a row until its quotes close; a line that was read too far is handed back."""
        row.feed(text)
        size = len(text)
        while row.open:
            numbered = next(self._texts, None)
            if numbered is None or size > self._limits.line_bytes or self._starts_row(numbered[1]):
                self._findings.add("RUN112", line, text.rfind('"') + 1)
                row.give_up()
                return numbered
            size += len(numbered[1]) + 1
            row.breaks.append(numbered[1])
            if not numbered[1].strip():
                self._findings.add("RUN201", numbered[0])
            row.feed(numbered[1])
        return None

    def _starts_row(self, text: str) -> bool:
        return self._is_id(text.partition(self._separator)[0].strip('" '))


class _QuotedRow:
    """A row with quotes, fed line by line; splits as `csv.reader` with its default settings does."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.cells: list[str] = []
        self.breaks: list[str] = []
        self.open = False
        self.closed = True
        self._parts: list[str] = []

    def feed(self, text: str) -> None:
        place: int | None = 0
        if self.open:
            self._parts.append("\n")
            place = self._finish(text, 0)
        while place is not None and not self.open:
            place = self._cell(text, place)

    def give_up(self) -> None:
        self.open = self.closed = False
        self.cells.append("".join(self._parts))

    def _cell(self, text: str, start: int) -> int | None:
        """Read the cell that starts here; the place of the next one, or None at the end."""
        if text.startswith('"', start):
            self.open, self._parts = True, []
            return self._finish(text, start + 1)
        self._parts = []
        return self._plain(text, start)

    def _finish(self, text: str, start: int) -> int | None:
        """Read on inside quotes; text behind the closing quote still belongs to the cell."""
        while (quote := text.find('"', start)) >= 0:
            self._parts.append(text[start:quote])
            if not text.startswith('"', quote + 1):
                self.open = False
                return self._plain(text, quote + 1)
            self._parts.append('"')
            start = quote + 2
        self._parts.append(text[start:])
        return None

    def _plain(self, text: str, start: int) -> int | None:
        end = text.find(self.separator, start)
        self._parts.append(text[start:] if end < 0 else text[start:end])
        self.cells.append("".join(self._parts))
        return None if end < 0 else end + len(self.separator)
