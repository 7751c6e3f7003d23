"""The table of contents of a tar, read header by header without touching what lies between.

Invariant: members come in file order with the place of their bytes; a tar that breaks off says so, and never
looks like a shorter one. Names and sizes of pax and GNU headers count, as in `tarfile`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import adler32

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

__all__ = ["BrokenTar", "Member", "walk"]

_BLOCK = 512
_ZEROS = bytes(_BLOCK)
_ADLER = 65521
_BLANKS = 8 * ord(" ")  # a checksum is made as if its own eight bytes were blank
_SIZE, _CHECKSUM, _KIND, _PREFIX = slice(124, 136), slice(148, 156), 156, slice(345, 500)
_USTAR = b"ustar\0"
_LONG_NAME, _PAX, _PAX_ALL = b"Lxg"


class BrokenTar(Exception):
    """The rest of a tar cannot be read; the message says why."""


class Member(NamedTuple):
    """A member as its header has it. `kind` is the letter of its type, "0" for a plain file."""

    name: str
    kind: str
    offset: int  # of its bytes
    size: int


class _Extra:
    """What extension headers said of the member that follows."""

    __slots__ = ("everywhere", "here")

    def __init__(self) -> None:
        self.everywhere: dict[str, str] = {}
        self.here: dict[str, str] = {}

    def take(self, kind: int, body: bytes) -> None:
        if kind == _LONG_NAME:
            self.here["path"] = _text(body)
        elif kind == _PAX:
            self.here.update(_pax(body))
        elif kind == _PAX_ALL:
            self.everywhere.update(_pax(body))

    def clear(self) -> dict[str, str]:
        said = {**self.everywhere, **self.here}
        self.here = {}
        return said


def walk(data: mmap | bytes) -> Iterator[Member]:
    """The members of a tar; `BrokenTar` where it ends too early or a header is damaged."""
    place, end = 0, len(data)
    extra = _Extra()
    while True:
        header = data[place : place + _BLOCK]
        if header == _ZEROS:
            return
        if len(header) < _BLOCK:
            raise BrokenTar("it ends without the end mark of a tar")
        _check(header, place)
        kind, size, start = header[_KIND], _number(header[_SIZE], place), place + _BLOCK
        if kind in b"LKxg":
            _within(start, size, end, header)
            extra.take(kind, data[start : start + size])
        else:
            name = ""
            if extra.here or extra.everywhere:
                said = extra.clear()
                name, size = said.get("path", ""), _said_size(said, size, place)
                kind = ord("S") if any(key.startswith("GNU.sparse.") for key in said) else kind
            size = size if kind in b"0\x007S" else 0  # links and folders have no bytes, whatever they claim
            _within(start, size, end, header)
            yield Member(name or _name(header), chr(kind or ord("0")), start, size)
        place = start + -(-size // _BLOCK) * _BLOCK


def _check(header: bytes, place: int) -> None:
    """Refuse a block that is no header. The low half of Adler-32 is a byte sum, and C is quick."""
    stated = header[_CHECKSUM]
    wanted = _number(stated, place) + sum(stated) - _BLANKS + 1
    if adler32(header) & 0xFFFF != wanted % _ADLER:
        raise BrokenTar(f"the header at byte {place:,} is damaged")


def _number(field: bytes, place: int) -> int:
    if field[0] == 0x80:  # GNU writes large numbers in binary  # noqa: PLR2004
        return int.from_bytes(field[1:], "big")
    try:
        return int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        raise BrokenTar(f"the header at byte {place:,} is damaged") from None


def _said_size(said: dict[str, str], size: int, place: int) -> int:
    text = said.get("size")
    if text is None:
        return size
    if not text.isdecimal():
        raise BrokenTar(f"the header before byte {place:,} is damaged")
    return int(text)


def _within(start: int, size: int, end: int, header: bytes) -> None:
    if start + size > end:
        raise BrokenTar(f"it ends within {_name(header)}")


def _name(header: bytes) -> str:
    name = _text(header[:100])
    prefix = _text(header[_PREFIX]) if header[257:263] == _USTAR and header[345] else ""
    return f"{prefix}/{name}" if prefix else name


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "backslashreplace")


def _pax(body: bytes) -> dict[str, str]:
    """The `length key=value` lines of a pax header."""
    said: dict[str, str] = {}
    while body[:1] not in {b"", b"\0"}:
        length, blank, _ = body[:24].partition(b" ")
        if not blank or not length.isdigit() or not len(length) + 1 < int(length) <= len(body):
            raise BrokenTar("a pax header is damaged")
        key, _, value = body[len(length) + 1 : int(length) - 1].partition(b"=")
        said[key.decode("utf-8", "backslashreplace")] = value.decode("utf-8", "backslashreplace")
        body = body[int(length) :]
    return said
