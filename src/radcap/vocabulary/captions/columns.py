"""Where a table of captions has its ids and its texts.

Invariant: the first line decides, as people see it in an editor; without a header the id is first and the
caption follows.
>>> columns_of(["file_name", "licence", "caption"])
Columns(id=0, text=2, width=3, headed=True)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.formats.cells import HEADER_NAMES
from radcap.formats.lines import UTF16_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Columns", "Start", "columns_of", "start_of"]

_TEXTS = frozenset({"caption", "captions", "text", "texts", "report", "reports", "sentence", "sentences"})
_CONCEPTS = frozenset({"cui", "cuis", "concept", "concepts"})
_DIGIT = re.compile(r"\d")
_BREAK = re.compile(r"\r\n|\r|\n")
_SEPARATOR = re.compile(r"[,|;\t]")
_FIRST = 64 * 1024  # bytes that hold the first two lines


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of the two columns that count; `width` is how many there are, if the header says so."""

    id: int = 0
    text: int = 1
    width: int = 2
    headed: bool = False


def columns_of(cells: Sequence[str]) -> Columns | None:
    """The columns by the first row of a table; nothing if a header names no captions."""
    names = [cell.strip().casefold() for cell in cells]
    if not _is_header(names):
        return Columns()
    known = [place for place, name in enumerate(names) if name in _TEXTS]
    pair = len(names) == 2 and names[1] not in _CONCEPTS  # noqa: PLR2004 - of an id and something
    if not known and not pair:
        return None
    ids = [place for place, name in enumerate(names) if name in HEADER_NAMES]
    text = known[0] if known else 1
    return Columns(ids[0] if ids else int(text == 0), text, len(names), headed=True)


def _is_header(names: Sequence[str]) -> bool:
    if names[0] in HEADER_NAMES:
        return True
    # a caption may be the one word 'report', but then its id has a digit
    return not _TEXTS.isdisjoint(names) and not any(map(_DIGIT.search, names))


@dataclass(frozen=True, slots=True)
class Start:
    """What the first lines of a file tell before it is read."""

    headed: bool
    parted: bool  # the first line holds a sign that parts cells and is rare in sentences
    first_id: str


def start_of(data: bytes) -> Start:
    """The start of a file, told by its first bytes."""
    text = data[:_FIRST].decode("utf-16" if data.startswith(UTF16_MARKS) else "utf-8-sig", "replace")
    first, below, *_ = *_BREAK.split(text, 2), ""
    names = [cell.strip('" ').casefold() for cell in _SEPARATOR.split(first)]
    headed = _is_header(names) and len(names) > 1
    id_cell = _SEPARATOR.split(below if headed else first)[0]
    return Start(headed, "\t" in first or "|" in first, id_cell)
