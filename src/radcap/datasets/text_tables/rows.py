"""Rows of a text table by the exact reader of run files, which names the line of everything odd.

Invariant: what the reader finds is passed on with the name of the file; nothing is dropped without a finding.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import RADCAP, Header, Limits, dialect
from radcap.formats import Findings as RunFindings
from radcap.formats.id_shapes import id_shape
from radcap.formats.packing import read_chunks
from radcap.formats.rows import Row, read_rows

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets.findings import Findings

__all__ = ["read_exactly"]


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
    rows = list(
        read_rows(read_chunks(path, found, limits), found, limits, id_shape(first.partition(separator)[0]))
    )
    findings.take(file, found.issues, found.counts)
    return rows
