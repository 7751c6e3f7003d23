"""Rows of a text table by the exact reader of run files, which names the line of everything odd.

Invariant: what the reader finds is passed on with the name of the file; nothing is dropped without a finding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import RADCAP, Header, Limits, dialect
from radcap.formats import Findings as RunFindings
from radcap.formats.packing import read_chunks
from radcap.formats.rows import Row, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.datasets.findings import Findings

__all__ = ["id_shape", "read_exactly"]


def read_exactly(
    path: Path, separator: str, quoted: bool, first: str, findings: Findings, file: str
) -> list[Row]:
    """Every row, header included. `first` is the line below the header: it tells what ids look like."""
    rules = replace(
        dialect(RADCAP, Task.CAPTIONS),
        separators=(separator,),
        header=Header.OPTIONAL,
        zipped=None,
        quoting=quoted,
    )
    found = RunFindings(rules)
    limits = Limits.trusted()
    rows = list(read_rows(read_chunks(path, found, limits), found, limits, id_shape(first, separator)))
    findings.take(file, found.issues, found.counts)
    return rows


def id_shape(first: str, separator: str) -> Callable[[str], bool]:
    """Whether a cell looks like the id of the first line: the same letters, then digits."""
    stem = first.partition(separator)[0].strip('" ').rstrip("0123456789")
    return lambda cell: bool(stem) and cell.startswith(stem) and cell[len(stem) :].isdigit()
