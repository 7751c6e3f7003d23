"""What a file is, told by its first bytes and never by its name.

Invariant: what is an image for one function here is one for all of them.
"""

from __future__ import annotations

import struct
from pathlib import PurePosixPath

__all__ = ["ENDINGS", "described", "ending_of", "kind_of"]

ENDINGS = {
    "JPEG": ".jpg",
    "PNG": ".png",
    "WEBP": ".webp",
    "GIF": ".gif",
    "TIFF": ".tif",
    "BMP": ".bmp",
    "DICOM": ".dcm",
}
_IMAGES = (
    (b"\xff\xd8\xff", "JPEG"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "TIFF"),
    (b"MM\0+", "TIFF"),
)
_STRANGERS = (
    (b"version https://git-lfs", "a Git LFS pointer instead of the file"),
    (b"%PDF", "a PDF"),
    (b"%!PS", "PostScript"),
    (b"PK", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"PAR1", "Parquet"),
    (b"\x93NUMPY", "a numpy array"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\xff\x0a", "JPEG XL"),
    (b"\0\0\0\x0cJXL ", "JPEG XL"),
    (b"8BPS", "a Photoshop file"),
    (b"\x5c\x01\0\0", "a NIfTI volume"),
)
_MARKUP = ((b"<!doctype html", "HTML"), (b"<html", "HTML"), (b"<svg", "an SVG drawing"), (b"<?xml", "XML"))
_HEAD = 512  # bytes that tell text from data
# The elements that a DICOM stream without preamble starts with: the first ones of the groups 2 and 8.
_FIRST_ELEMENTS = {(2, 0), (2, 1), (2, 2), (8, 0), (8, 1), (8, 5), (8, 8), (8, 0x12), (8, 0x16), (8, 0x18)}
_FIRST_TYPES = (b"UL", b"OB", b"UI", b"CS", b"DA", b"SH", b"LO", b"TM")
_BMP_HEADERS = (12, 16, 40, 52, 56, 64, 108, 124)  # `BM` alone starts many a text


def kind_of(data: bytes) -> str:
    """JPEG, PNG, WEBP, GIF, TIFF, BMP or DICOM; nothing where it is none of them."""
    for start, kind in _IMAGES:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data.startswith(b"BM") and int.from_bytes(data[14:18], "little") in _BMP_HEADERS:
        return "BMP"
    return "DICOM" if data[128:132] == b"DICM" or _is_bare_dicom(data) else ""


def ending_of(data: bytes, name: str) -> str:
    """The ending that fits the content; that of the name where the content tells nothing."""
    return ENDINGS.get(kind_of(data)) or PurePosixPath(name).suffix.lower()


def described(data: bytes) -> str:
    """What a file is that is no image, in words for people."""
    for start, what in _STRANGERS:
        if data.startswith(start):
            return what
    if data[4:8] == b"ftyp":
        return "HEIC, AVIF or a video"
    if not data[:_HEAD].strip(b"\0"):
        return "nothing but zero bytes"
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(b"<"):
        return next((what for start, what in _MARKUP if start in head), "XML")
    return "text" if _is_text(data[:_HEAD]) else "data of an unknown kind"


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode("utf-8", "strict" if len(head) < _HEAD else "ignore")  # the cut may split a letter
    except UnicodeDecodeError:
        return False
    return all(sign.isprintable() or sign.isspace() for sign in text)


def _is_bare_dicom(data: bytes) -> bool:
    """Whether it starts like a DICOM stream that lacks the 128 bytes and the mark before it."""
    if len(data) < 16:  # noqa: PLR2004 - two elements need more
        return False
    group, element, length = struct.unpack_from("<HHI", data)
    if (group, element) not in _FIRST_ELEMENTS:
        return False
    return data[4:6] in _FIRST_TYPES or 0 < length <= 64  # noqa: PLR2004 - first values are short
