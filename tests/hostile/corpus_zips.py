"""Archives that lie, byte by byte: one `Member` or one end record of each says something untrue.

Each entry of `ZIPS` names the error that must be found in it.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from corpus_small import GOOD, K

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Member:
    """One member; what is not given is true, so that each lie stands alone."""

    data: bytes = GOOD[K]
    name: bytes = b"submission.csv"
    method: int = zipfile.ZIP_DEFLATED
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    packed_size: int | None = None
    flags: int = 0
    mode: int = 0o100644
    offset: int | None = None
    extra: bytes = b""

    def content(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method == zipfile.ZIP_BZIP2:
            return bz2.compress(self.data)
        return deflated(self.data) if self.method == zipfile.ZIP_DEFLATED else self.data

    def _fields(self) -> bytes:
        """What the local header and the directory both state, from the flags to the length of the name."""
        content = self.content()
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        packed = len(content) if self.packed_size is None else self.packed_size
        size = len(self.data) if self.size is None else self.size
        return struct.pack("<HHHHIIIH", self.flags, self.method, 0, 33, crc, packed, size, len(self.name))

    def local(self) -> bytes:
        return b"PK\3\4" + struct.pack("<H", 20) + self._fields() + b"\0\0" + self.name + self.content()

    def entry(self, offset: int) -> bytes:
        place = offset if self.offset is None else self.offset
        rest = struct.pack("<HHHHII", len(self.extra), 0, 0, 0, self.mode << 16, place)
        start = b"PK\1\2" + struct.pack("<HH", 20 | 3 << 8, 20)
        return start + self._fields() + rest + self.name + self.extra


def deflated(data: bytes, times: int = 1) -> bytes:
    """A deflate stream of so many repeats, at the cost of packing one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * times + b"\3\0"


def archive(
    *members: Member,
    prefix: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
    directory_size: int | None = None,
    directory_at: int | None = None,
) -> bytes:
    """A zip file with true or untrue end record."""
    locals_, entries, place = [prefix], [], len(prefix)
    for member in members:
        entries.append(member.entry(place))
        if member.offset is None:
            locals_.append(member.local())
            place += len(locals_[-1])
    directory = b"".join(entries)
    n = min(len(members), 0xFFFF) if count is None else count
    size = len(directory) if directory_size is None else directory_size
    start = place if directory_at is None else directory_at
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n, n, size, start, len(comment)) + comment
    return b"".join(locals_) + directory + end


def _zip64(size: int, directory_at: int) -> bytes:
    """An end record that sends the reader to a 64-bit one, which lies."""
    body = archive(Member())
    end = body.index(b"PK\5\6")
    record = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, size, directory_at)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, end, 1)
    tail = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return body[:end] + record + locator + tail


def _workbook() -> bytes:
    names = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/worksheets/sheet1.xml")
    return archive(*(Member(b"<x/>", name.encode()) for name in names))


def _nested(levels: int) -> bytes:
    data = archive(Member())
    for _ in range(levels):
        data = archive(*(Member(data, b"part%d.zip" % n) for n in range(3)))
    return data


def _overlapping() -> bytes:
    """Many entries, one content."""
    first = Member(name=b"submission.csv")
    return archive(first, *(Member(name=b"submission.csv", offset=0) for _ in range(50)))


def _lzma_member() -> bytes:
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}]
    packed = lzma.compress(GOOD[K], lzma.FORMAT_RAW, filters=filters)
    return archive(Member(method=zipfile.ZIP_LZMA, packed=b"\t\4\5\0\x5d\0\0\0\x40" + packed, flags=2))


class Packed(NamedTuple):
    """An archive and the error that must be found; none: it holds the good run after all."""

    make: Callable[[], bytes]
    code: str | None


@cache
def zip_bytes(name: str) -> bytes:
    """An archive of `ZIPS`, made once."""
    return ZIPS[name].make()


def _named(name: bytes) -> Packed:
    return Packed(lambda: archive(Member(name=name)), "RUN114")


ZIPS: Mapping[str, Packed] = {
    "as it should be": Packed(lambda: archive(Member()), None),
    "stored": Packed(lambda: archive(Member(method=zipfile.ZIP_STORED)), None),
    "no member": Packed(archive, "RUN104"),
    "a folder only": Packed(lambda: archive(Member(b"", b"submission.csv/")), "RUN104"),
    "an empty member": Packed(lambda: archive(Member(b"")), "RUN102"),
    "a zip in a zip": Packed(lambda: archive(Member(archive(Member()), b"submission.zip")), "RUN104"),
    "a zip called submission.csv in a zip": Packed(lambda: archive(Member(archive(Member()))), "RUN115"),
    "zips in zips": Packed(lambda: _nested(5), "RUN104"),
    "a workbook": Packed(_workbook, "RUN104"),
    "two tables": Packed(lambda: archive(Member(), Member(name=b"other.csv")), "RUN104"),
    "the same name twice": Packed(lambda: archive(Member(), Member(b"ID,CUIs\n")), "RUN104"),
    "the same name, capitals": Packed(lambda: archive(Member(), Member(name=b"Submission.CSV")), "RUN104"),
    "junk of a Macintosh": Packed(
        lambda: archive(Member(), Member(b"\0", b"__MACOSX/._submission.csv"), Member(b"\0", b".DS_Store")),
        None,
    ),
    "a note beside the run": Packed(lambda: archive(Member(b"hello", b"readme.txt"), Member()), None),
    "a folder around the run": Packed(
        lambda: archive(Member(b"", b"run/"), Member(name=b"run/submission.csv")), None
    ),
    "overlapping members": Packed(_overlapping, "RUN104"),
    "members beyond the limit": Packed(lambda: archive(*repeat(Member(), 101)), "RUN113"),
    "name: parent folder": _named(b"../submission.csv"),
    "name: parents": _named(b"a/../../../../tmp/submission.csv"),
    "name: absolute": _named(b"/tmp/submission.csv"),
    "name: backslashes": Packed(lambda: archive(Member(name=b"..\\..\\submission.csv")), "RUN104"),
    "name: drive": _named(b"C:\\submission.csv"),
    "name: drive without slash": _named(b"C:submission.csv"),
    "name: server": _named(b"\\\\server\\share\\submission.csv"),
    "name: empty": Packed(lambda: archive(Member(name=b"")), "RUN104"),
    "name: NUL": Packed(lambda: archive(Member(name=b"submission.csv\0.exe")), "RUN114"),
    "name: terminal commands": Packed(lambda: archive(Member(name=b"\x1b[2J\x1b]0;x\x07.csv")), "RUN114"),
    "name: line end": Packed(lambda: archive(Member(name=b"a\n::error::b.csv")), "RUN114"),
    "name: 60,000 letters": Packed(lambda: archive(Member(name=b"x" * 60_000 + b".csv")), None),
    "name: no UTF-8": Packed(lambda: archive(Member(name=b"\xff\xfe.csv", flags=0x800)), "RUN114"),
    "a link": Packed(lambda: archive(Member(b"/etc/passwd", mode=0o120777)), "RUN114"),
    "a device": Packed(lambda: archive(Member(mode=0o020666)), "RUN114"),
    "a pipe": Packed(lambda: archive(Member(mode=0o010666)), "RUN114"),
    "encrypted": Packed(lambda: archive(Member(flags=1)), "RUN114"),
    "strongly encrypted": Packed(lambda: archive(Member(flags=0x41)), "RUN114"),
    "patched data": Packed(lambda: archive(Member(flags=0x20)), "RUN114"),
    "bzip2": Packed(lambda: archive(Member(method=zipfile.ZIP_BZIP2)), "RUN114"),
    "LZMA with a dictionary of 1 GiB": Packed(_lzma_member, "RUN114"),
    "unknown method": Packed(lambda: archive(Member(method=99)), "RUN114"),
    "stored, called deflated": Packed(lambda: archive(Member(packed=GOOD[K])), "RUN114"),
    "wrong sum": Packed(lambda: archive(Member(crc=1)), "RUN114"),
    "smaller than it says": Packed(lambda: archive(Member(size=10**6)), None),  # the sum is right
    "larger than it says": Packed(lambda: archive(Member(size=20)), "RUN114"),
    "says 4 GB packed": Packed(lambda: archive(Member(packed_size=0xFFFFFFFE)), None),
    "says nothing packed": Packed(lambda: archive(Member(packed_size=0)), "RUN114"),
    "member beyond the end": Packed(lambda: archive(Member(), Member(offset=10**9)), "RUN104"),
    "a directory only": Packed(lambda: archive(Member(offset=10**9)), "RUN105"),
    "directory of 4 GB": Packed(lambda: archive(Member(), directory_size=0xFFFFFFFE), "RUN114"),
    "directory elsewhere": Packed(lambda: archive(Member(), directory_at=10**9), "RUN114"),
    "directory in the data": Packed(lambda: archive(Member(), directory_at=3), "RUN114"),
    "directory cut": Packed(lambda: archive(Member(), directory_size=20), "RUN114"),
    "more members than it has": Packed(lambda: archive(Member(), count=0xFFFE), None),
    "zip64, directory of 2**63": Packed(lambda: _zip64(2**63 - 1, 0), "RUN114"),
    "zip64, directory at 2**64": Packed(lambda: _zip64(60, 2**64 - 1), "RUN114"),
    "zip64 field cut": Packed(lambda: archive(Member(size=0xFFFFFFFF, extra=b"\1\0\4\0xxxx")), "RUN114"),
    "extra field too long": Packed(lambda: archive(Member(extra=b"\1\0\xff\xff")), "RUN114"),
    "something before it": Packed(lambda: archive(Member(), prefix=b"#!/bin/sh\nexit\n"), "RUN115"),
    "a comment": Packed(lambda: archive(Member(), comment=b"x" * 65_535), None),
}  # fmt: skip
