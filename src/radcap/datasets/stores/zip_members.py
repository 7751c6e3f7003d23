"""Images that are members of zip files. Nothing is ever unpacked, names are keys and no paths.

Invariant: no more is read than a member claims and the limit allows; a wrong checksum is a refusal.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from radcap.datasets.refusal import missing_image, refuse
from radcap.datasets.stores.file_names import is_image
from radcap.formats import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["LIMIT_BYTES", "ZipImages", "why_broken"]

LIMIT_BYTES = 256 * 1024 * 1024  # of one image
_LOCAL = struct.Struct("<4s5H3L2H")  # the header before the bytes of a member
_END, _END_SIZE, _COMMENT = b"PK\x05\x06", 22, 65_535
_ENCRYPTED = 0x1
_ELSEWHERE = 0xFFFFFFFF  # a large zip keeps its figures in a second table
_ERRORS = (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, OSError)


@dataclass(frozen=True)
class ZipImages:
    """Members of one or several zips, by the number of the zip and the name of the member."""

    paths: tuple[Path, ...]

    def __reduce__(self) -> tuple[type[ZipImages], tuple[tuple[Path, ...]]]:
        return type(self), (self.paths,)

    def read(self, key: str) -> bytes:
        member = self._members.get(key)
        if member is None:
            raise missing_image(self.name(key))
        if member.file_size > LIMIT_BYTES:
            raise refuse("IMG107", self.name(key), size=member.file_size, limit=LIMIT_BYTES)
        if member.flag_bits & _ENCRYPTED:
            raise refuse("IMG109", self.name(key), why="it is encrypted")
        data = _unpacked(self._packed(key, member), member)
        if data is None:
            raise refuse("IMG109", self.name(key), why="it is packed by a method other than deflate")
        if len(data) != member.file_size or zlib.crc32(data) != member.CRC:
            raise refuse("IMG104", self.name(key), why="its bytes do not fit the checksum of the zip")
        return data

    def has(self, key: str) -> bool:
        return key in self._members

    def name(self, key: str) -> str:
        return key.partition("/")[2]

    def path(self, key: str) -> Path | None:  # noqa: ARG002
        return None

    def stamp(self, key: str) -> str:
        member = self._members.get(key)
        if member is None:
            return ""
        seen = self.paths[int(key.partition("/")[0])].stat()  # a zip copied again may read where it did not
        return f"{seen.st_size}:{seen.st_mtime_ns}:{member.file_size}:{member.CRC}"

    def keys(self) -> Iterable[str]:
        return self._members

    @cached_property
    def broken(self) -> Mapping[Path, str]:
        """The zips that cannot be read, and why."""
        return self._contents[1]

    @property
    def _members(self) -> Mapping[str, zipfile.ZipInfo]:
        return self._contents[0]

    @cached_property
    def _contents(self) -> tuple[dict[str, zipfile.ZipInfo], dict[Path, str]]:
        members: dict[str, zipfile.ZipInfo] = {}
        broken: dict[Path, str] = {}
        for number, path in enumerate(self.paths):
            try:
                with zipfile.ZipFile(path) as archive:
                    found = [one for one in archive.infolist() if _counts(one.filename)]
            except _ERRORS as error:
                broken[path] = shown(str(error))
                continue
            members.update((f"{number}/{one.filename}", one) for one in found)
        return members, broken

    def _packed(self, key: str, member: zipfile.ZipInfo) -> bytes:
        path = self.paths[int(key.partition("/")[0])]
        with path.open("rb") as file:
            file.seek(max(member.header_offset, 0))  # below zero where the start of the zip is lost
            header = file.read(_LOCAL.size)
            if member.header_offset >= 0 and len(header) == _LOCAL.size and header.startswith(b"PK\x03\x04"):
                *_, name_bytes, extra_bytes = _LOCAL.unpack(header)
                file.seek(name_bytes + extra_bytes, 1)
                return file.read(min(member.compress_size, LIMIT_BYTES))
        raise refuse("IMG104", self.name(key), why=f"{path.name} ends before it, or was changed")


def _unpacked(packed: bytes, member: zipfile.ZipInfo) -> bytes | None:
    """The bytes of a member, one more than it claims at most; nothing where the method is unknown."""
    if member.compress_type == zipfile.ZIP_STORED:
        return packed
    if member.compress_type != zipfile.ZIP_DEFLATED:
        return None
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.file_size + 1)
    except zlib.error:
        return b""


def _counts(name: str) -> bool:
    """Whether a member is an image; what a Mac adds is none."""
    path = PurePosixPath(name)
    return is_image(path.name) and "__MACOSX" not in path.parts


def why_broken(path: Path) -> str | None:
    """What is wrong with a zip, told by its last bytes alone; nothing if it looks whole."""
    size = path.stat().st_size
    if not size:
        return "it holds 0 bytes"
    with path.open("rb") as file:
        start = max(0, size - _END_SIZE - _COMMENT)
        file.seek(start)
        tail = file.read()
    place = tail.rfind(_END)
    if place < 0 or len(tail) < place + _END_SIZE:
        return "it breaks off before its table of contents"
    directory_bytes, offset = struct.unpack_from("<LL", tail, place + 12)
    whole = offset == _ELSEWHERE or offset + directory_bytes <= start + place
    return None if whole else "its table of contents is not whole"
