"""The lines of a text file with their numbers.

Invariant: every line of the file is counted. Bytes that are no UTF-8 travel on as lone surrogates, so that
the reader of a line can say what it lost.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from radcap.formats.lines import UTF8_MARK, recode, split_lines
from radcap.vocabulary.sources.streams import read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from radcap.vocabulary.findings import Findings

__all__ = ["LONGEST", "Line", "lost_byte", "read_lines"]

Line = tuple[int, str]

LONGEST = 128 * 1024  # bytes of a line, and of a cell that goes over several
_LOST = re.compile("[\udc80-\udcff]")


def read_lines(paths: Sequence[Path], file: str, findings: Findings) -> Iterator[Line]:
    """Numbered lines without their ends; UTF-16 with a mark is read too."""
    chunks, _ = recode(iter(read_chunks(paths, file, findings)))
    first = next(chunks, b"").removeprefix(UTF8_MARK)
    for number, line in enumerate(split_lines(chain((first,), chunks), LONGEST), 1):
        body = line.rstrip(b"\r\n")
        if len(body) > LONGEST:
            findings.add("VOC115", file, number, limit=LONGEST)
        else:
            yield number, body.decode("utf-8", "surrogateescape")


def lost_byte(text: str) -> str | None:
    """The first byte of a line or cell that is no UTF-8, as people write it."""
    found = None if text.isascii() else _LOST.search(text)
    return f"0x{ord(found[0]) - 0xDC00:02X}" if found else None
