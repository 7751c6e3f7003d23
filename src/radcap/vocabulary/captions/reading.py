"""Captions of a file, one by one: a table of any dialect, or one text a line.

Invariant: a file is checked as a whole before any of it is used, so that every problem is told at once; what
is held of it meanwhile is eight bytes a row.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from radcap.core import InputError, Task
from radcap.formats import RADCAP, Header, Limits, dialect, named
from radcap.formats import Findings as RunFindings
from radcap.formats.dialects import COMMA, PIPE, TAB
from radcap.formats.file_findings import FileFindings
from radcap.formats.id_shapes import id_shape
from radcap.formats.lines import UTF8_MARK, recode, split_lines
from radcap.formats.packing import read_chunks
from radcap.formats.rows import read_rows
from radcap.vocabulary.captions.codes import CODES
from radcap.vocabulary.captions.columns import Start, columns_of, start_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from radcap.formats.rows import Row
    from radcap.vocabulary.captions.columns import Columns

__all__ = ["ENDINGS", "Caption", "CaptionFile", "CaptionFindings", "open_captions"]

ENDINGS = (".csv", ".tsv", ".txt", ".zip")
_TOLD = 10_000  # rows between two words of progress


class Caption(NamedTuple):
    """A text and the id of its image."""

    id: str
    text: str


class CaptionFindings(FileFindings):
    """Findings in a caption file: its own, and those it shares with run files."""

    def __init__(self, kept_per_code: int = 1000) -> None:
        super().__init__(CODES, kept_per_code)


@dataclass(frozen=True, slots=True)
class CaptionFile:
    """A file of captions that can be read as often as one likes."""

    path: Path
    lines: bool = False  # one text a line, without ids: their numbers stand for them
    name: str = ""  # what findings call it

    def check(self, findings: CaptionFindings, told: Callable[[str, int], None] | None = None) -> int:
        """How many captions there are; everything odd is found, and nothing is raised."""
        hashes = array("q")
        for _, one in self._read(findings):
            if told and len(hashes) % _TOLD == 0:
                told("reading", len(hashes))
            hashes.append(hash(one.id))
        self._find_repeats(hashes, findings)
        return len(hashes)

    def captions(self) -> Iterator[Caption]:
        """Every caption, in the order of the file."""
        return (one for _, one in self._read(CaptionFindings()))

    def _find_repeats(self, hashes: array[int], findings: CaptionFindings) -> None:
        """Ids that stand twice: equal hashes first, and only then the ids themselves."""
        order = np.sort(np.array(hashes, np.int64))
        suspects = set(order[1:][order[1:] == order[:-1]].tolist())
        if not suspects:
            return
        seen: dict[str, int] = {}
        for line, one in self._read(CaptionFindings()):
            if hash(one.id) not in suspects:
                continue
            first = seen.setdefault(one.id, line)
            if first != line:
                findings.add("CAP105", self.name, line, 1, id=named(one.id), first=first, line=line)

    def _read(self, findings: CaptionFindings) -> Iterator[tuple[int, Caption]]:
        return _texts(self, findings) if self.lines else _table(self, findings)


def open_captions(path: Path) -> CaptionFile:
    """The captions of a file. A .txt file without header, tab or '|' on its first line is one text a line."""
    if not path.is_file():
        raise InputError(f"No file at {path}. Captions are needed. Check the path.")
    start = _start(path)
    lines = path.suffix.lower() == ".txt" and not start.headed and not start.parted
    return CaptionFile(path, lines, path.name)


def _start(path: Path) -> Start:
    chunks = read_chunks(path, _run_findings(quoting=True), Limits.trusted())
    return start_of(next(chunks, b""))


def _run_findings(*, quoting: bool) -> RunFindings:
    """The tolerant dialect; tables without header are those of 2017 to 2021, of which only commas quote."""
    base = dialect(RADCAP, Task.CAPTIONS)
    return RunFindings(
        replace(base, separators=(COMMA, TAB, PIPE), header=Header.OPTIONAL, zipped=None, quoting=quoting)
    )


def _table(file: CaptionFile, findings: CaptionFindings) -> Iterator[tuple[int, Caption]]:
    limits = Limits.trusted()
    start = _start(file.path)
    found = _run_findings(quoting=start.headed)
    rows = read_rows(read_chunks(file.path, found, limits), found, limits, id_shape(start.first_id))
    first = next(rows, None)
    if first is not None:
        columns = columns_of(first.cells)
        if columns is None:
            names = ", ".join(map(named, first.cells))
            findings.add("CAP101", file.name, first.line, 1, names=names)
        else:
            yield from _captions(rows if columns.headed else chain((first,), rows), columns, file, findings)
    findings.take(file.name, found.issues, found.counts)


def _captions(
    rows: Iterable[Row], columns: Columns, file: CaptionFile, findings: CaptionFindings
) -> Iterator[tuple[int, Caption]]:
    for row in rows:
        text = _text(row, columns, file, findings)
        if text is None:
            continue
        image_id = row.cells[columns.id].strip()
        if image_id:
            yield row.line, Caption(image_id, text)
        else:
            findings.add("CAP106", file.name, row.line, 1, line=row.line)


def _text(row: Row, columns: Columns, file: CaptionFile, findings: CaptionFindings) -> str | None:
    """The caption of a row, if it is clear which cell that is."""
    n, last = len(row.cells), columns.text == columns.width - 1
    place = {"line": row.line, "n": f"{n:,}"}
    if n <= max(columns.id, columns.text):
        what, wanted = max(("id", columns.id), ("caption", columns.text), key=lambda one: one[1])
        findings.add("CAP102", file.name, row.line, 1, **place, what=what, place=wanted + 1)
        return None
    if n > columns.width and not last:
        findings.add("CAP103", file.name, row.line, 1, **place, width=columns.width)
        return None
    if n > columns.width:
        findings.add("CAP104", file.name, row.line, 1, **place)
        return row.separator.join(row.cells[columns.text :])
    return row.cells[columns.text]


def _texts(file: CaptionFile, findings: CaptionFindings) -> Iterator[tuple[int, Caption]]:
    """One text a line; an empty line is an empty text, so that results and lines stand side by side."""
    limits = Limits.trusted()
    found = _run_findings(quoting=False)
    chunks = read_chunks(file.path, found, limits) if file.path.stat().st_size else iter(())
    offset = 0
    for number, ended in enumerate(split_lines(recode(chunks)[0], limits.line_bytes), 1):
        line = ended.removeprefix(UTF8_MARK if number == 1 else b"").rstrip(b"\r\n")
        text = _decoded(line, number, offset, found, limits)
        if text is not None:
            yield number, Caption(str(number), text)
        offset += len(ended)
    findings.take(file.name, found.issues, found.counts)


def _decoded(line: bytes, number: int, offset: int, found: RunFindings, limits: Limits) -> str | None:
    if len(line) > limits.line_bytes:
        most = f"{limits.line_bytes:,} bytes a line"
        found.add("RUN113", number, size=f"More than {most}", limit=most)
        return None
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        byte = f"0x{line[error.start]:02X}"
        found.add("RUN105", number, error.start + 1, byte=byte, offset=offset + error.start)
        return None
