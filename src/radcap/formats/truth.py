"""The truth: label files in any of the layouts, and lists of ids without labels.

Invariant: cells stay as written, so that each edition reads them by its own rules; a repeated id is
refused, because the evaluators let the later row win without a word.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from radcap.core import InputError, Level, Run, Task, UsageError
from radcap.formats.cells import HEADER_NAMES
from radcap.formats.dialects import COMMA, PIPE, RADCAP, TAB, Header, dialect
from radcap.formats.expected import Expected
from radcap.formats.findings import Findings, named
from radcap.formats.limits import Limits
from radcap.formats.packing import read_chunks
from radcap.formats.rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from radcap.formats.dialects import Dialect
    from radcap.formats.rows import Row

__all__ = ["Kind", "find_truth", "read_expected", "read_ids", "read_labels", "read_vocabulary"]

_CELLS = 2  # id and label; a header may name more columns, which are left alone
_WORD = re.compile(r"\bC\d+\b", re.ASCII)  # a CUI; the id PMC123 holds none


class Kind(StrEnum):
    """The label files of a dataset, by the names they have in a folder."""

    CONCEPTS = "concepts"
    MANUAL = "concepts_manual"
    CAPTIONS = "captions"

    @property
    def task(self) -> Task:
        return Task.CAPTIONS if self is Kind.CAPTIONS else Task.CONCEPTS


def find_truth(path: Path, kind: Kind) -> Path | None:
    """The file of a kind: the path itself, or inside a folder `concepts.csv`, `test_concepts.csv`, ...

    A file stands for the kind it was given for, so only a folder can answer for the manual labels.
    """
    if not path.exists():
        raise InputError(f"No truth at {path}. Nothing can be scored. Give a label file or a folder of them.")
    if not path.is_dir():
        return None if kind is Kind.MANUAL else path
    plain = path / f"{kind.value}.csv"
    if plain.is_file():
        return plain
    split_files = sorted(path.glob(f"*_{kind.value}.csv"))
    if len(split_files) > 1:
        names = ", ".join(file.name for file in split_files)
        raise UsageError(f"{path} holds {names}. It is open which one is meant. Give the file itself.")
    return split_files[0] if split_files else None


def read_labels(path: Path, kind: Kind, edition: str) -> Run:
    """The labels of a file as they are written. Problems are collected and raised together."""
    rows = _unique_rows(path, _truth_dialect(kind.task, edition), {}, labels=True)
    cells = {image_id: row.cells[1] if len(row.cells) > 1 else None for image_id, row in rows}
    return Run(kind.task, cells, str(path))


def read_ids(path: Path, edition: str = RADCAP) -> Expected:
    """The first column of any table, as the ids a run must name."""
    return _expected([path], edition)


def read_expected(truth: Path, task: Task, edition: str = RADCAP) -> Expected:
    """The ids of a truth file or folder; the check of 2026 adds those that only the manual labels have."""
    kinds = (Kind.CONCEPTS, Kind.MANUAL) if task is Task.CONCEPTS else (Kind.CAPTIONS,)
    files = [file for kind in kinds if (file := find_truth(truth, kind)) is not None]
    if not files:
        wanted = " or ".join(f"{kind.value}.csv" for kind in kinds)
        raise InputError(f"{truth} holds no {wanted}. The ids of the task are unknown. Give a label file.")
    return _expected(files if dialect(edition, task).ordered else files[:1], edition)


def _expected(files: Sequence[Path], edition: str) -> Expected:
    position: dict[str, int] = {}
    for file in files:
        for _ in _unique_rows(file, _truth_dialect(Task.CONCEPTS, edition), position):
            pass
    return Expected(position, files[0].name)


def read_vocabulary(path: Path) -> frozenset[str]:
    """Every CUI that stands anywhere in a table: a label file and a list of concepts serve alike."""
    findings = Findings(_truth_dialect(Task.CONCEPTS, RADCAP))
    found = frozenset(cui for row in _data_rows(path, findings) for cui in _WORD.findall(row.raw))
    _refuse(path, findings, "concept" if not found else None)
    return found


def _truth_dialect(task: Task, edition: str) -> Dialect:
    """Labels may come in any separator; unquoted editions have unquoted labels."""
    base = dialect(edition, task)
    return replace(base, edition=RADCAP, separators=(COMMA, TAB, PIPE), header=Header.OPTIONAL, zipped=None)


def _unique_rows(
    path: Path, form: Dialect, position: dict[str, int], *, labels: bool = False
) -> Iterator[tuple[str, Row]]:
    """Each id of a file with its row. Ids are numbered behind those already in `position`."""
    findings = Findings(form)
    lines = array("L", bytes(array("L").itemsize * len(position)))  # where this file names each id, else 0
    for row in _data_rows(path, findings, labels=labels):
        image_id = row.cells[0].strip()
        if not image_id:
            findings.add("RUN210", row.line)
            continue
        place = position.setdefault(image_id, len(position))
        if place == len(lines):
            lines.append(0)
        if lines[place]:
            findings.add("TRU103", row.line, id=named(image_id), first=lines[place])
            continue
        lines[place] = row.line
        yield image_id, row
    _refuse(path, findings, "image" if not any(lines) else None)


def _data_rows(path: Path, findings: Findings, *, labels: bool = False) -> Iterator[Row]:
    if not path.is_file():
        raise InputError(f"No file at {path}. Nothing can be checked against it. Give a label file.")
    limits = Limits.trusted()
    rows = read_rows(read_chunks(path, findings, limits), findings, limits, lambda _: False)
    first = next(rows, None)
    if first is None:
        return
    width = _CELLS
    if first.cells[0].strip().casefold() in HEADER_NAMES:
        width = max(width, len(first.cells))
    else:
        rows = chain((first,), rows)
    for row in rows:
        if labels and len(row.cells) > width:  # the rest of a label that was not quoted
            n = f"{len(row.cells):,}"
            findings.add("RUN202", row.line, row.column(), n=n, consequence=", the rest would be dropped")
        yield row


def _refuse(path: Path, findings: Findings, lacking: str | None) -> None:
    """Raise what was found, or that the file lacks what it was given for."""
    errors = tuple(issue for issue in findings.issues if issue.level is Level.ERROR)
    if errors:
        where = f"line {errors[0].line}: " if errors[0].line else ""
        first = f"{errors[0].message} {errors[0].hint}"
        raise InputError(f"{path.name} cannot serve as truth: {where}{first}", errors, str(path))
    if lacking:
        raise InputError(
            f"{path.name} names no {lacking}. Nothing can be checked against it. Give a label file."
        )
