"""Small files that are no run, or a strange one, made on the spot: none of them lies in the repository.

Each entry of `SMALL` names the error that edition 2026 must find in it.
"""

from __future__ import annotations

import bz2
import gzip
import random
from typing import TYPE_CHECKING, NamedTuple

from radcap.core import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

C, K = Task.CAPTIONS, Task.CONCEPTS
SMALL_IDS = ("img_1", "img_2", "img_3")
HEADERS = {K: b"ID,CUIs\n", C: b"ID,Caption\n"}
GOOD = {
    K: b"ID,CUIs\nimg_1,C0040405;C0817096\nimg_2,C0024485\nimg_3,C1306645\n",
    C: b'ID,Caption\nimg_1,CT of the chest.\nimg_2,"MRI, sagittal."\nimg_3,Plain film.\n',
}


class Small(NamedTuple):
    """A file, what it is handed in for, and the error edition 2026 must find; none: a run like any other."""

    task: Task
    content: bytes
    code: str | None


def _cells(task: Task, *cells: bytes) -> bytes:
    """A run of the three images with these second cells, the last one repeated."""
    padded = [*cells, *[cells[-1]] * len(SMALL_IDS)]
    rows = (b"%s,%s\n" % (one.encode(), cell) for one, cell in zip(SMALL_IDS, padded, strict=False))
    return HEADERS[task] + b"".join(rows)


def _recoded(codec: str, mark: bytes = b"") -> bytes:
    return mark + GOOD[K].decode().encode(codec)


def _gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89"
_PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n"
ANSI = b"\x1b[2J\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b1m\xc2\x9b5m\r\x08\x7f"
BIDI = "\u202egpj.1\u202c\u2066\ufeff\u200f".encode()

SMALL: Mapping[str, Small] = {
    "empty": Small(K, b"", "RUN102"),
    "one byte": Small(K, b"x", "RUN107"),
    "one quote": Small(K, b'"', "RUN112"),
    "one separator": Small(K, b",", "RUN107"),
    "one line end": Small(K, b"\n", "RUN201"),
    "one NUL": Small(K, b"\0", "RUN115"),
    "mark only": Small(K, b"\xef\xbb\xbf", "RUN106"),
    "half a mark": Small(K, b"\xef\xbb", "RUN105"),
    "two marks": Small(K, b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD[K], "RUN106"),
    "mark and a good run": Small(K, b"\xef\xbb\xbf" + GOOD[K], "RUN106"),
    "UTF-16 mark only": Small(K, b"\xff\xfe", "RUN105"),
    "blank lines only": Small(K, b"\n \n\t\n\r\n\xe3\x80\x80\n", "RUN201"),
    "header only": Small(K, HEADERS[K], "RUN110"),
    "header without end": Small(K, HEADERS[K].rstrip(), "RUN110"),
    "headers only": Small(K, HEADERS[K] * 3, "RUN207"),
    "rows that 2023-2025 take for headers": Small(K, b"ID,CUIs\nVID1,C1\nVID2,C1\n", "RUN207"),
    "header twice": Small(K, HEADERS[K] + GOOD[K], "RUN205"),
    "random bytes": Small(K, random.Random(7).randbytes(4096), "RUN105"),  # noqa: S311, chance, no secret
    "PNG": Small(K, _PNG, "RUN105"),
    "PDF": Small(K, _PDF, "RUN105"),
    "gzip": Small(K, _gzipped(GOOD[K]), "RUN105"),
    "bzip2": Small(K, bz2.compress(GOOD[K]), "RUN105"),
    "UTF-16 LE": Small(K, _recoded("utf-16-le"), "RUN115"),
    "UTF-16 BE": Small(K, _recoded("utf-16-be"), "RUN115"),
    "UTF-16 LE, mark": Small(K, _recoded("utf-16-le", b"\xff\xfe"), "RUN105"),
    "UTF-16 BE, mark": Small(K, _recoded("utf-16-be", b"\xfe\xff"), "RUN105"),
    "UTF-16, odd number of bytes": Small(K, _recoded("utf-16-le", b"\xff\xfe") + b"x", "RUN105"),
    "UTF-16, half a pair": Small(K, _recoded("utf-16-le", b"\xff\xfe") + b"\x00\xd8", "RUN105"),
    "UTF-32 LE, mark": Small(K, _recoded("utf-32-le", b"\xff\xfe\0\0"), "RUN115"),
    "UTF-32 BE, mark": Small(K, _recoded("utf-32-be", b"\0\0\xfe\xff"), "RUN115"),
    "mixed encodings": Small(C, _cells(C, "Größe".encode(), "Größe".encode("latin-1")), "RUN105"),
    "overlong UTF-8": Small(C, _cells(C, b"x\xc0\xafx", b"x\xe0\x80\xafx"), "RUN105"),
    "lone surrogates": Small(C, _cells(C, b"x\xed\xa0\x80", b"x\xed\xbf\xbf"), "RUN105"),
    "beyond Unicode": Small(C, _cells(C, b"x\xf4\x90\x80\x80"), "RUN105"),
    "cut UTF-8": Small(C, _cells(C, "é".encode()[:1]), "RUN105"),
    "NUL in a cell": Small(K, _cells(K, b"C0040405\0"), "RUN115"),
    "NUL behind another control character": Small(K, _cells(K, b"C0040405\x0b\0"), "RUN115"),
    "NUL in an id": Small(K, GOOD[K].replace(b"img_2", b"img_2\0"), "RUN115"),
    "terminal commands in a caption": Small(C, _cells(C, ANSI), "RUN105"),
    "terminal commands in a concept": Small(K, _cells(K, ANSI), "RUN304"),
    "terminal commands in an id": Small(K, GOOD[K].replace(b"img_2", ANSI), "RUN205"),
    "terminal commands in the header": Small(K, GOOD[K].replace(b"CUIs", ANSI), "RUN108"),
    "writing from right to left": Small(K, _cells(K, BIDI), "RUN304"),
    "commands for a build server": Small(K, _cells(K, b"::error::x\r::stop-commands::y"), "RUN205"),
    "percent signs and braces": Small(K, _cells(K, b"%0A{0}{code}%s%n"), "RUN304"),
    "quote at the start": Small(K, b'"' + GOOD[K], "RUN112"),
    "quote in the middle": Small(K, _cells(K, b"C0040405", b'"C0024485', b"C1306645"), "RUN112"),
    "quote at the end": Small(K, GOOD[K] + b'"', "RUN112"),
    "quote at the end of a cell": Small(K, _cells(K, b'C0040405"'), "RUN304"),
    "a quote opened on each line": Small(K, _cells(K, b'"C0040405'), "RUN112"),
    "quotes in turn": Small(K, b'"a"b"c"d,"e"f"g\n' * 9, "RUN107"),
    "quoted line ends": Small(C, _cells(C, b'"one\n\ntwo"'), "RUN404"),
    "CR only": Small(K, GOOD[K].replace(b"\n", b"\r"), None),
    "CRLF": Small(K, GOOD[K].replace(b"\n", b"\r\n"), None),
    "LF, CRLF and CR": Small(K, GOOD[K].replace(b"\n", b"\r\n", 2).replace(b"\n", b"\r", 1), "RUN201"),
    "no end on the last line": Small(K, GOOD[K].rstrip(), None),
    "U+2028, NEL, form feed": Small(C, _cells(C, "a\u2028b\x85c\u2029d\x0ce\x0bf\x1cg".encode()), None),
    "quotes in captions": Small(C, _cells(C, b'"a ""mass"" here"'), None),
    "formulas": Small(C, _cells(C, b'"=HYPERLINK(""x"",1)"', b"+1", b"@SUM(1)"), None),
    "formulas for concepts": Small(K, _cells(K, b"=1+1", b"-C1", b"@C1"), "RUN304"),
    "tab in a caption": Small(C, _cells(C, b"\ta"), None),
    "numbers for concepts": Small(K, _cells(K, b"Infinity", b"NaN", b"1e400"), "RUN304"),
    "digits of other scripts": Small(K, _cells(K, "C\u0664\u0660".encode()), "RUN304"),
    "a CUI of other capitals": Small(K, _cells(K, "\u04210040405".encode()), "RUN304"),
    "a very long id": Small(K, GOOD[K].replace(b"img_2", b"x" * 20_000), "RUN205"),
    "a very long CUI": Small(K, _cells(K, b"C" + b"9" * 20_000), None),
    "five thousand CUIs": Small(K, _cells(K, b";".join(b"C%d" % n for n in range(5000))), "RUN301"),
    "semicolons": Small(K, _cells(K, b";" * 5000), "RUN301"),
    "a thousand columns": Small(K, _cells(K, b"x," * 1000), "RUN202"),
    "ids of another split": Small(K, GOOD[K].replace(b"img_", b"train_"), "RUN213"),
    "every row twice": Small(K, GOOD[K] + GOOD[K].removeprefix(HEADERS[K]), "RUN206"),
    "ids that differ in case": Small(K, GOOD[K].replace(b"img_", b"IMG_"), "RUN213"),
    "ids in composed and decomposed letters": Small(K, GOOD[K].replace(b"img_2", "ïmg_2".encode()), "RUN205"),
    "begins like a zip": Small(K, b"PK,C0040405\n" + GOOD[K], "RUN107"),
}  # fmt: skip
