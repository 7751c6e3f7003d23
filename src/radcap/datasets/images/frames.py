"""How many frames a file holds, and how large a WebP is, counted without decoding any.

Invariant: counting reads block headers alone and stops one past the limit, so a file of a million frames
costs as much as one of a thousand. A file that is broken here is counted as far as it goes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["count_frames", "webp_size"]

_SUB_BLOCKS, _IMAGE = 0x21, 0x2C  # introducers of an extension and of a frame in a GIF


def count_frames(data: bytes, kind: str, most: int) -> int:
    """The number of frames; `most + 1` stands for any number above `most`."""
    walk = {"GIF": _gif_frames, "TIFF": _tiff_frames, "WEBP": _webp_frames, "PNG": _png_frames}.get(kind)
    if walk is None:
        return 1
    count = 0
    for found in walk(data):
        count += found
        if count > most:
            return most + 1
    return max(1, count)


def webp_size(data: bytes) -> tuple[int, int]:
    """Width and height that the header of a WebP claims; (0, 0) where it breaks off."""
    chunk, body = data[12:16], data[20:34]
    if len(body) < 10:  # noqa: PLR2004 - bytes of the shortest header
        return 0, 0
    if chunk == b"VP8X":
        return 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", body, 6)
    return width & 0x3FFF, height & 0x3FFF


def _gif_frames(data: bytes) -> Iterator[int]:
    place = 13 + _gif_palette(data, 10)
    while place < len(data):
        if data[place] == _SUB_BLOCKS:
            place = _after_sub_blocks(data, place + 2)
        elif data[place] == _IMAGE:
            yield 1
            place = _after_sub_blocks(data, place + 11 + _gif_palette(data, place + 9))
        else:
            return


def _gif_palette(data: bytes, flags_at: int) -> int:
    flags = data[flags_at] if flags_at < len(data) else 0
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _after_sub_blocks(data: bytes, place: int) -> int:
    while place < len(data) and data[place]:
        place += 1 + data[place]
    return place + 1


def _tiff_frames(data: bytes) -> Iterator[int]:
    order = "<" if data.startswith(b"II") else ">"
    large = data[2:4] in {b"+\0", b"\0+"}
    first, count, entry, pointer = (8, "Q", 20, "Q") if large else (4, "H", 12, "I")
    seen: set[int] = set()
    try:
        (place,) = struct.unpack_from(order + pointer, data, first)
        while place and place not in seen:
            seen.add(place)
            (entries,) = struct.unpack_from(order + count, data, place)
            yield 1
            after = place + struct.calcsize(order + count) + entries * entry
            (place,) = struct.unpack_from(order + pointer, data, after)
    except (OverflowError, struct.error):  # it points behind the end
        return


def _webp_frames(data: bytes) -> Iterator[int]:
    place = 12
    while place + 8 <= len(data):
        if data[place : place + 4] == b"ANMF":
            yield 1
        size = int.from_bytes(data[place + 4 : place + 8], "little")
        place += 8 + size + size % 2


def _png_frames(data: bytes) -> Iterator[int]:
    """The count that an animated PNG states, which stands before the pixels."""
    place = 8
    while place + 12 <= len(data) and data[place + 4 : place + 8] != b"IDAT":
        if data[place + 4 : place + 8] == b"acTL":
            yield int.from_bytes(data[place + 8 : place + 12], "big")
        place += 12 + int.from_bytes(data[place : place + 4], "big")
