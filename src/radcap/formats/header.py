"""Whether the first row of a file names the columns, and what the edition makes of it.

Invariant: a row that is a header for a reader's eye is never counted as an image, whatever the edition
would do with it; the finding says what the edition does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.core import Level
from radcap.formats.cells import HEADER_NAMES
from radcap.formats.dialects import Header
from radcap.formats.findings import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.formats.findings import Findings
    from radcap.formats.rows import Row

__all__ = ["take_header"]


def take_header(row: Row, findings: Findings, known: Callable[[str], bool] | None) -> bool:
    """Judge the first row; true if it is a header. `known` tells ids of the task, if they were given."""
    first, kind = row.cells[0], findings.dialect.header
    is_image = known is not None and known(first)
    # the scorer skips any row with the letters ID; an image of such a name is still judged as an image
    skipped = kind is Header.CONTAINS_ID and "ID" in first
    if is_image or not (skipped or first.strip().casefold() in HEADER_NAMES):
        if kind not in {Header.NEEDED, Header.EXACT}:
            return False
        counted = kind is Header.EXACT or not (is_image or known is None)
        return _no_header(row, findings, "RUN107" if counted else "RUN410", is_image=is_image)
    if kind is Header.NONE:
        findings.add("RUN109", row.line, row=shown(row.raw))
        return True
    return _named_header(row, findings, read=_is_read(first, findings))


def _is_read(first: str, findings: Findings) -> bool:
    """Whether the edition itself takes this first cell for that of a header."""
    if findings.dialect.header is Header.CONTAINS_ID:
        return "ID" in first
    return findings.dialect.header is Header.EXACT or findings.dialect.tolerant or first.casefold() == "id"


def _named_header(row: Row, findings: Findings, *, read: bool) -> bool:
    """A header; `read` says whether the edition recognises it as one."""
    columns = findings.dialect.columns
    if tuple(row.cells) != columns:
        cells, header = shown(row.separator.join(row.cells)), ",".join(columns)
        level = None if read else Level.ERROR
        findings.add("RUN108", row.line, level=level, cells=cells, header=header)
    return True


def _no_header(row: Row, findings: Findings, code: str, *, is_image: bool) -> bool:
    """A first row that is no header where one is needed; without a digit it can hardly be an image."""
    findings.add(code, row.line, row=shown(row.raw), header=",".join(findings.dialect.columns))
    return not is_image and not any(letter.isdigit() for letter in row.cells[0])
