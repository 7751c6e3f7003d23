"""Files that want more memory or time than they are worth, against the 19,267 images of 2025.

Each entry of `COSTLY` names a finding that must answer it. Files are made in pieces and read once, then
removed by whoever asked for them.
"""

from __future__ import annotations

import bz2
import random
import zipfile
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from corpus_small import HEADERS, C, K
from corpus_zips import Member, archive, deflated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from radcap.core import Task

IMAGES = 19_267
IDS = tuple(f"ImageCLEFmedical_Caption_2025_test_{n}" for n in range(IMAGES))

_LINE = 130_000  # just below what a line may hold
_LINES = 175  # of them, just below what a file may hold
_CELL = 1_100  # in every row, just below what a file may hold


class Costly(NamedTuple):
    """A file in pieces."""

    task: Task
    make: Callable[[], Iterable[bytes]]
    code: str


def write(path: Path, pieces: Iterable[bytes]) -> Path:
    with path.open("wb") as file:
        file.writelines(pieces)
    return path


def rows(cell: bytes, ids: Iterable[str] = IDS) -> Iterator[bytes]:
    return (b"%s,%s\n" % (one.encode(), cell) for one in ids)


def _long_rows(cell: bytes) -> Iterator[bytes]:
    """As many rows of long lines as a file may hold."""
    return rows(cell, IDS[:_LINES])


def _strange(n: int, ending: str) -> Iterator[bytes]:
    """Rows of ids that no task has."""
    return rows(b"C1", (f"{number}{ending}" for number in range(n)))


def _joined(sign: bytes, n: int, letter: bytes = b"C") -> bytes:
    return sign.join(b"%s%d" % (letter, number) for number in range(n))


def _times(line: bytes, n: int) -> Iterator[bytes]:
    """A line so many times, in pieces of about a megabyte."""
    block = max(1, 2**20 // len(line))
    return chain(repeat(line * block, n // block), [line * (n % block)])


def _wide(text: str) -> str:
    """One emoji makes Python hold four bytes for each letter."""
    return f"{text}\U0001f600"


def _shuffled() -> Iterator[bytes]:
    ids = list(IDS)
    random.Random(2026).shuffle(ids)  # noqa: S311, chance, no secret
    return rows(b"C0040405", ids)


def _random_bytes() -> Iterator[bytes]:
    chance = random.Random(2026)  # noqa: S311, chance, no secret
    return (chance.randbytes(2**20) for _ in range(25))


def _utf16() -> Iterator[bytes]:
    return chain([b"\xff\xfe"], (row.decode().encode("utf-16-le") for row in rows(b"C1", IDS * 9)))


def _bomb(block: bytes, times: int, packed_size: int | None = None) -> list[bytes]:
    packed = deflated(block, times)
    return [archive(Member(packed=packed, crc=0, size=0xFFFFFFFE, packed_size=packed_size))]


def _bz2_bomb() -> list[bytes]:
    """zipfile hands out what one block of bzip2 holds in one piece, whatever was asked for."""
    packed = bz2.compress(bytes(9_000_000))
    return [archive(Member(method=zipfile.ZIP_BZIP2, packed=packed, size=0xFFFFFFFE))]


def _members(n: int, name: bytes = b"x") -> list[bytes]:
    member = Member(b"", name, method=zipfile.ZIP_STORED)
    return [archive(member, *repeat(Member(b"", name, method=zipfile.ZIP_STORED, offset=0), n - 1))]


_COLUMNS: Mapping[str, Costly] = {
    "a million columns": Costly(K, lambda: [HEADERS[K], b"x," * 10**6], "RUN113"),
    "ten million columns": Costly(K, lambda: _times(b"x,", 10**7), "RUN113"),
    "lines of columns": Costly(K, lambda: _times(b"x," * (_LINE // 2) + b"\n", _LINES), "RUN202"),
    "60 MB without line end": Costly(K, lambda: _times(b"x", 60_000_000), "RUN113"),
    "30 million empty lines": Costly(K, lambda: _times(b"\n", 30_000_000), "RUN113"),
    "30 million CR": Costly(K, lambda: _times(b"\r", 30_000_000), "RUN113"),
}
_QUOTES: Mapping[str, Costly] = {
    "20 MB of quotes": Costly(K, lambda: _times(b'"', 20_000_000), "RUN113"),
    "lines of quotes": Costly(K, lambda: _times(b'"' * _LINE + b"\n", _LINES), "RUN207"),
    "quotes in turn": Costly(K, lambda: _times(b'"a', 10_000_000), "RUN113"),
    "lines of quotes in turn": Costly(K, lambda: _times(b'"a,' * (_LINE // 3) + b"\n", _LINES), "RUN207"),
    "lines of quoted cells": Costly(K, lambda: _times(b'"",' * (_LINE // 3) + b"\n", _LINES), "RUN210"),
    "a quote opened on each line": Costly(K, lambda: rows(b'"C0040405'), "RUN112"),
    "a quote on each strange line": Costly(K, lambda: _times(b'y,"C1\n', 2_000_000), "RUN113"),
    "a cell of 5 million lines": Costly(C, lambda: chain([b'a,"'], _times(b"x\n", 5_000_000)), "RUN112"),
    "cells of a thousand lines": Costly(C, lambda: rows(b'"' + b"a\n" * 1000 + b'"'), "RUN113"),
    "cells of blank lines": Costly(C, lambda: rows(b'"' + b"\n" * 1000 + b'"'), "RUN201"),
    "cells of doubled quotes": Costly(C, lambda: rows(b'"' + b'"' * _CELL + b'"'), "RUN405"),
}
_CAPTIONS: Mapping[str, Costly] = {
    "captions of commas": Costly(C, lambda: rows(b"a," * (_CELL // 2)), "RUN402"),
    "captions of dots": Costly(C, lambda: rows(b"." * _CELL), "RUN405"),
    "captions of blanks": Costly(C, lambda: rows(b" " * _CELL + b"."), "RUN405"),
    "captions of words": Costly(C, lambda: rows(b"a " * 550), "RUN407"),
    "long captions of blanks": Costly(C, lambda: _long_rows(b"a" + b" " * _LINE + b"b"), "RUN207"),
}
_ROWS: Mapping[str, Costly] = {
    "another split": Costly(K, lambda: rows(b"C1", (one.replace("test", "train") for one in IDS)), "RUN213"),
    "2 million strange ids": Costly(K, lambda: _strange(2_000_000, "q"), "RUN205"),
    "2 million rows": Costly(K, lambda: _times(b"x,C1\n", 2_000_000), "RUN113"),
    "each row a thousand times": Costly(K, lambda: (row * 1000 for row in rows(b"C1", IDS[:999])), "RUN206"),
    "long strange ids": Costly(K, lambda: _strange(40_000, "x" * 550), "RUN205"),
    "wide strange ids": Costly(K, lambda: _strange(40_000, _wide("x" * 130)), "RUN205"),
    "ids of file endings": Costly(K, lambda: _strange(40_000, ".jpg" * 130), "RUN205"),
    "wide lines": Costly(K, lambda: _times(_wide("x" * _LINE).encode() + b"\n", _LINES), "RUN113"),
    "wide cells": Costly(K, lambda: rows(_wide("x" * _CELL).encode()), "RUN113"),
    "in reverse": Costly(K, lambda: chain([HEADERS[K]], rows(b"C0040405", reversed(IDS))), "RUN208"),
    "shuffled": Costly(K, lambda: chain([HEADERS[K]], _shuffled()), "RUN208"),
}
_CONCEPTS: Mapping[str, Costly] = {
    "100,000 CUIs in a cell": Costly(K, lambda: rows(_joined(b";", 10**5), IDS[:45]), "RUN113"),
    "16,000 CUIs in a cell": Costly(K, lambda: _long_rows(_joined(b";", 16_000)), "RUN301"),
    "16,000 CUIs parted by commas": Costly(K, lambda: _long_rows(_joined(b",", 16_000)), "RUN307"),
    "16,000 CUIs parted by blanks": Costly(K, lambda: _long_rows(_joined(b" ", 16_000)), "RUN307"),
    "one CUI again and again": Costly(K, lambda: rows(b"C1;" * (_CELL // 3)), "RUN302"),
    "cells of semicolons": Costly(K, lambda: rows(b";" * _CELL), "RUN303"),
    "99 CUIs a row": Costly(K, lambda: rows(_joined(b";", 99)), "RUN312"),
    "99 CUIs a row, sent twice": Costly(K, lambda: rows(_joined(b";", 99), IDS * 2), "RUN206"),
    "99 CUIs and a slip a row": Costly(K, lambda: rows(_joined(b";", 99) + b";", IDS * 2), "RUN303"),
    "99 CUIs, one small a row": Costly(K, lambda: rows(_joined(b";", 99) + b";c99", IDS * 2), "RUN305"),
    "99 words a row": Costly(K, lambda: rows(_joined(b";", 99, b"x"), IDS * 2), "RUN304"),
    "99 small letters a row": Costly(K, lambda: rows(_joined(b";", 99, b"c"), IDS * 2), "RUN305"),
    "words in quotes": Costly(K, lambda: _long_rows(b'"' + b"x;" * (_LINE // 2) + b'"'), "RUN304"),
    "blanks between CUIs": Costly(K, lambda: rows(b"C1" + b" " * _CELL + b"C2"), "RUN307"),
    "long blanks between CUIs": Costly(K, lambda: _long_rows(b"C1" + b" " * _LINE + b"C2"), "RUN307"),
    "CUIs, blanks and a slip": Costly(K, lambda: rows(b"C1  " * (_CELL // 4) + b"!"), "RUN304"),
    "many CUIs, blanks and a slip": Costly(K, lambda: _long_rows(b"C1  " * (_LINE // 4) + b"!"), "RUN304"),
    "a CUI of a thousand digits": Costly(K, lambda: rows(b"C" + b"9" * _CELL), "RUN312"),
}
_BYTES: Mapping[str, Costly] = {
    "random bytes": Costly(K, _random_bytes, "RUN105"),
    "zeros": Costly(K, lambda: _times(b"\0", 40_000_000), "RUN113"),
    "lines of zeros": Costly(K, lambda: _times(bytes(500) + b"\n", 50_000), "RUN115"),
    "lines of 0xFF": Costly(K, lambda: _times(b"\xff" * 500 + b"\n", 50_000), "RUN105"),
    "lines of terminal commands": Costly(K, lambda: _times(b"\x1b[2J" * 100 + b",C1\n", 50_000), "RUN115"),
    "UTF-16": Costly(K, _utf16, "RUN105"),
}
_ARCHIVES: Mapping[str, Costly] = {
    "zip of 20 MB of zeros": Costly(K, lambda: _bomb(bytes(2**20), 20), "RUN114"),
    "zip of 10 GB of zeros": Costly(K, lambda: _bomb(bytes(2**20), 10_240), "RUN113"),
    "zip of 20 MB of zeros, said to be 4 GB": Costly(K, lambda: _bomb(bytes(2**20), 20, 2**32 - 2), "RUN114"),
    "zip of 10 GB of line ends": Costly(K, lambda: _bomb(b"\n" * 2**20, 10_240), "RUN113"),
    "zip of a run a hundred times": Costly(K, lambda: _bomb(b"".join(rows(b"C1")), 100), "RUN206"),
    "zip of bzip2": Costly(K, _bz2_bomb, "RUN114"),
    "zip of 100,000 members": Costly(K, lambda: _members(100_000), "RUN114"),
    "zip of 20,000 members": Costly(K, lambda: _members(20_000), "RUN113"),
    "zip of long names": Costly(K, lambda: _members(17, b"x" * 60_000), "RUN104"),
}
COSTLY: Mapping[str, Costly] = {
    **_COLUMNS, **_QUOTES, **_CAPTIONS, **_ROWS, **_CONCEPTS, **_BYTES, **_ARCHIVES,
}  # fmt: skip
# costly in the same way as one beside it
ALIKE = frozenset(
    {
        "ten million columns",
        "30 million CR",
        "quotes in turn",
        "lines of quotes in turn",
        "a quote on each strange line",
        "captions of blanks",
        "captions of words",
        "long captions of blanks",
        "2 million rows",
        "ids of file endings",
        "wide lines",
        "in reverse",
        "16,000 CUIs parted by blanks",
        "99 CUIs a row, sent twice",
        "99 CUIs, one small a row",
        "99 words a row",
        "long blanks between CUIs",
        "CUIs, blanks and a slip",
        "a CUI of a thousand digits",
        "lines of zeros",
        "UTF-16",
        "zip of 10 GB of line ends",
    }
)
