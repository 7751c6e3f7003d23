"""Whether a file that could not be decoded is shorter than it says.

Invariant: this is asked after a decoder has failed, to name the reason; it never refuses by itself. The one
exception is a JPEG whose rest is zero bytes: decoders make grey of that and say nothing.
"""

from __future__ import annotations

import io

from PIL import TiffImagePlugin

from radcap.datasets.images.failures import FAILURES
from radcap.datasets.images.quiet import quiet

__all__ = ["breaks_off", "is_padded"]

_PADDING = 64  # zero bytes at the end that tell of a copy which stopped
_OFFSETS, _SIZES = (273, 324), (279, 325)  # TIFF tags of strips and of tiles


def breaks_off(data: bytes, kind: str) -> bool:
    """Whether the end of a file is missing."""
    if kind == "JPEG":
        return not _has_end_mark(data)
    if kind == "PNG":
        return b"IEND" not in data[-_PADDING:]
    if kind == "GIF":
        return not data.rstrip(b"\0").endswith(b";")
    if kind == "TIFF":
        return _tiff_breaks_off(data)
    size = int.from_bytes(data[4:8], "little") + 8 if kind == "WEBP" else int.from_bytes(data[2:6], "little")
    return len(data) < size


def is_padded(data: bytes) -> bool:
    """Whether the end of a JPEG is zero bytes instead of its end mark."""
    return data.endswith(bytes(_PADDING)) and not _has_end_mark(data)


def _has_end_mark(data: bytes) -> bool:
    """Whether the mark stands behind the start of the last scan; a thumbnail has one of its own before."""
    return data.rfind(b"\xff\xd9") > data.rfind(b"\xff\xda")


def _tiff_breaks_off(data: bytes) -> bool:
    """Whether the directory, or the pixels it points to, lie behind the end."""
    try:
        with quiet():
            tags = TiffImagePlugin.TiffImageFile(io.BytesIO(data)).tag_v2
        offsets = next(tags[one] for one in _OFFSETS if one in tags)
        sizes = next(tags[one] for one in _SIZES if one in tags)
        return max(map(sum, zip(offsets, sizes, strict=False)), default=0) > len(data)
    except (*FAILURES, StopIteration):
        return int.from_bytes(data[4:8], "little" if data.startswith(b"II") else "big") + 2 > len(data)
