"""From physical lines to rows of cells, for every dialect.

Invariant: cells are those Python's `csv.reader` finds, as in the evaluators; lines and columns are true.
A quote that never closes is one finding: reading goes on at the next line that starts with a known id.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from sys import getsizeof
from typing import TYPE_CHECKING, NamedTuple

from radcap.core import Level
from radcap.formats.cells import HEADER_NAMES
from radcap.formats.dialects import COMMA, PIPE, TAB, Header
from radcap.formats.lines import UTF8_MARK, recode, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.formats.findings import Findings
    from radcap.formats.limits import Limits

__all__ = ["SEPARATOR_NAMES", "Row", "read_rows"]

SEPARATOR_NAMES = {TAB: "a tab", PIPE: "'|'", COMMA: "a comma", ";": "a semicolon"}

_LOOKED_AT = 50  # lines that decide the separator
_NUL = re.compile("\0")
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
            offset += 1 + bisect_left(_quotes(self.cells[1]), offset)
        return start + offset + 1

    @property
    def quoted(self) -> bool:
        """Whether the second cell is written in quotes."""
        return self.raw.partition(self.separator)[2].startswith('"')


@lru_cache(maxsize=1)  # a cell with thousands of slips asks for thousands of columns
def _quotes(cell: str) -> list[int]:
    return [match.start() for match in re.finditer('"', cell)]


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
    separator = _find_separator(first, findings, is_id)
    numbered = _texts(chain(first, lines), len(UTF8_MARK) * marked, findings, limits)
    texts = _bounded(numbered, separator, findings, limits)
    return _RowReader(texts, separator, findings, limits, is_id).rows()


def _note_mark(line: bytes, findings: Findings) -> None:
    """A byte-order mark spoils the first cell: that of a header may survive it, an id does not."""
    form = findings.dialect
    first = re.split(r"[,|;\t]", line.removeprefix(UTF8_MARK).decode("utf-8", "replace"))[0]
    headed = "ID" in first if form.header is Header.CONTAINS_ID else first.strip().casefold() in HEADER_NAMES
    spoiled = form.header is Header.NONE or not (headed or form.tolerant)
    findings.add("RUN106", 1, level=Level.ERROR if spoiled else None, consequence=_MARK_EFFECT[form.header])


def _find_separator(lines: list[bytes], findings: Findings, is_id: Callable[[str], bool]) -> str:
    """The dialect's separator, or the one the file really uses, with a finding."""
    texts = [line.decode("utf-8", "replace").strip("\r\n") for line in lines if line.strip()]
    allowed = findings.dialect.separators
    found = _before_ids(texts, allowed, is_id) or _first_allowed(texts, allowed) or _frequent(texts, allowed)
    if found is None or found in allowed:
        return found or allowed[0]
    wanted = " or ".join(SEPARATOR_NAMES[choice] for choice in allowed)
    findings.add("RUN111", 1, found=SEPARATOR_NAMES[found], wanted=wanted)
    return found


def _before_ids(texts: list[str], allowed: tuple[str, ...], is_id: Callable[[str], bool]) -> str | None:
    """The sign that stands behind most ids of the task; commas in captions cannot be mistaken for it."""
    votes = {
        sign: sum(sign in text and is_id(text.partition(sign)[0].strip('" ')) for text in texts)
        for sign in dict.fromkeys((*allowed, *SEPARATOR_NAMES))
    }
    best = max(votes, key=votes.__getitem__)  # the first of equals, so an allowed one
    return best if votes[best] else None


def _first_allowed(texts: list[str], allowed: tuple[str, ...]) -> str | None:
    for text in texts:
        here = [sign for sign in allowed if sign in text]
        if here:
            return min(here, key=text.index)
    return None


def _frequent(texts: list[str], allowed: tuple[str, ...]) -> str | None:
    """Another sign that stands in more than half of the lines."""
    others = (sign for sign in SEPARATOR_NAMES if sign not in allowed)
    return next((sign for sign in others if 2 * sum(sign in text for text in texts) > len(texts)), None)


def _texts(
    lines: Iterator[bytes], offset: int, findings: Findings, limits: Limits
) -> Iterator[tuple[int, str]]:
    """Numbered lines as text; bytes that are no UTF-8 travel on as lone surrogates, so nothing is lost."""
    for number, ended in enumerate(lines, 1):
        line = ended.rstrip(b"\r\n")
        if len(line) > limits.line_bytes:
            _note_limit(findings, number, limits.line_bytes, "bytes a line")
            continue
        yield number, _decode(line, number, offset, findings)
        offset += len(ended)


def _bounded(
    texts: Iterator[tuple[int, str]], separator: str, findings: Findings, limits: Limits
) -> Iterator[tuple[int, str]]:
    """Lines until one of the limits is passed."""
    size = parts = 0
    most_lines, most_parts, most_findings = limits.lines, limits.parts, limits.findings
    for number, text in texts:
        size += getsizeof(text)  # a single emoji makes a long line four times as large as its file
        parts += text.count(separator) + text.count(";")
        if number > most_lines:
            return _note_limit(findings, number, most_lines, "lines")
        if size > limits.file_bytes:
            return _note_limit(findings, number, limits.file_bytes, "bytes of text")
        if parts > most_parts:
            return _note_limit(findings, number, most_parts, "cells and concepts")
        if findings.total > most_findings:
            return _note_limit(findings, number, most_findings, "findings")
        yield number, text


def _decode(line: bytes, number: int, offset: int, findings: Findings) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        byte, place = f"0x{line[error.start]:02X}", offset + error.start
        column = len(line[: error.start].decode()) + 1
        findings.add("RUN105", number, column, byte=byte, offset=place)
        text = line.decode("utf-8", "surrogateescape")
    if (control := _NUL.search(text) or _CONTROL.search(text)) is not None:
        level = None if control[0] == "\0" else Level.WARNING  # scorers read the others as text
        findings.add("RUN115", number, control.start() + 1, level=level, byte=f"0x{ord(control[0]):02X}")
    return text


def _note_limit(findings: Findings, line: int, most: int, what: str) -> None:
    findings.add("RUN113", line, size=f"More than {most:,} {what}", limit=f"{most:,} {what} for this task")


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
        for number, row in enumerate(self._split(), 1):
            if number > self._limits.rows:
                return _note_limit(self._findings, row.line, self._limits.rows, "rows")
            yield row

    def _split(self) -> Iterator[Row]:
        quoting = self._findings.dialect.quoting or self._separator in {COMMA, ";"}
        separator = self._separator
        ahead: tuple[int, str] | None = None
        while (numbered := ahead or next(self._texts, None)) is not None:
            ahead = None
            line, text = numbered
            if not text or text.isspace():
                self._findings.add("RUN201", line)
            elif not quoting or '"' not in text:
                yield Row(line, text.split(separator), text, separator)
            else:
                quoted = _Quoted(line, text)
                cells = next(csv.reader(self._lines_of(quoted), delimiter=separator))
                yield Row(line, cells, text, separator, tuple(quoted.breaks), quoted.closed)
                ahead = quoted.ahead

    def _lines_of(self, row: _Quoted) -> Iterator[str]:
        """The lines of a row; `csv.reader` asks for a further one while a quote is open."""
        yield row.text
        size = len(row.text)
        while (numbered := next(self._texts, None)) is not None:
            line, text = numbered
            size += len(text) + 1
            if size > self._limits.line_bytes or self._starts_row(text):
                break
            row.breaks.append(text)
            if not text.strip() and self._findings.dialect.ordered:  # only the check of 2026 minds
                self._findings.add("RUN201", line)
            yield f"\n{text}"
        self._findings.add("RUN112", row.line, row.text.rfind('"') + 1)
        row.closed, row.ahead = False, numbered

    def _starts_row(self, text: str) -> bool:
        return self._is_id(text.partition(self._separator)[0].strip('" '))


@dataclass(slots=True)
class _Quoted:
    """A row with quotes, while its lines are read."""

    line: int
    text: str
    breaks: list[str] = field(default_factory=list[str])
    closed: bool = True
    ahead: tuple[int, str] | None = None  # the line that was read too far
