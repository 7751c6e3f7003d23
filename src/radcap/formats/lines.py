"""From bytes to physical lines, with line ends of any system and bounded memory.

Invariant: line breaks are LF, CRLF and CR and no others; a form feed or U+2028 inside a caption is text.
>>> list(split_lines([b"a,1\\r", b"\\nb,2\\rc,3"], most=100))
[b'a,1\\r\\n', b'b,2\\r', b'c,3']
"""

from __future__ import annotations

import codecs
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["UTF8_MARK", "UTF16_MARKS", "recode", "split_lines"]

UTF8_MARK = codecs.BOM_UTF8
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def split_lines(chunks: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Lines with their ends. A line longer than `most` comes cut to `most + 1` bytes."""
    held = b""
    overlong = False  # the cut line was handed out, its rest is being passed over
    for chunk in chunks:
        held += chunk
        # a CR at the border may belong to a CRLF whose LF comes with the next piece
        end = len(held) - 1 if held.endswith(b"\r") else len(held)
        cut = max(held.rfind(b"\n", 0, end), held.rfind(b"\r", 0, end)) + 1
        lines = held[:cut].splitlines(keepends=True)
        held = held[cut:]
        if lines:
            for line in lines[overlong:]:
                yield line if len(line) <= most + len(b"\r\n") else line[: most + 1]
            overlong = False
        body = held.removesuffix(b"\r")
        if len(body) > most:
            if not overlong:
                yield body[: most + 1]
                overlong = True
            held = held[len(body) :]
    if not overlong:
        yield from held.splitlines(keepends=True)


def recode(chunks: Iterator[bytes]) -> tuple[Iterator[bytes], bool]:
    """UTF-16 with a mark becomes UTF-8; the flag says that it was so. Anything else passes untouched."""
    first = next(chunks, b"")
    whole = chain((first,), chunks) if first else iter(())
    if not first.startswith(UTF16_MARKS):
        return whole, False
    texts = codecs.iterdecode(whole, "utf-16", errors="replace")
    return (text.encode("utf-8", "replace") for text in texts), True
