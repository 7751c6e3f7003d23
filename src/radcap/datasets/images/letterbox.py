"""A picture in a square, and what a cache keeps of each.

Invariant: the picture lies in the middle of the square on black, with an odd pixel more below or on the
right; its box says where. A refused image is a black square with an empty box and the number of its code.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.images.fitting import fit
from radcap.datasets.refusal import ImageRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ROW", "code_name", "code_number", "digest_of", "letterbox", "refuse_row"]

ROW = np.dtype(
    [
        ("box", "<i4", (4,)),  # top, left, height, width of the picture in the square
        ("original", "<i4", (2,)),  # width and height of the upright original
        ("digest", "u1", (32,)),  # SHA-256 of the file
        ("checksum", "<u4"),  # CRC-32 of the square
        ("code", "<u2"),  # 0, or the number of an IMG code
    ]
)


def letterbox(data: bytes, name: str, square: NDArray[np.uint8], row: NDArray[np.void]) -> None:
    """Fill a square (size x size x channels) and its row, but for the digest, from the bytes of an image."""
    size, _, channels = square.shape
    try:
        fitted = fit(data, name, size, channels)
    except ImageRefused as refused:
        refuse_row(square, row, refused.code)
        return
    height, width, _ = fitted.pixels.shape
    top, left = (size - height) // 2, (size - width) // 2
    square[...] = 0
    square[top : top + height, left : left + width] = fitted.pixels
    row["box"] = top, left, height, width
    row["original"] = fitted.width, fitted.height
    row["checksum"] = zlib.crc32(square.data)
    row["code"] = 0


def refuse_row(square: NDArray[np.uint8], row: NDArray[np.void], code: str) -> None:
    """Mark an image as refused; the digest of its file stays, if there is one."""
    square[...] = 0
    row["box"] = row["original"] = 0
    row["checksum"] = zlib.crc32(square.data)
    row["code"] = code_number(code)


def digest_of(data: bytes) -> NDArray[np.uint8]:
    """The SHA-256 of a file as 32 numbers."""
    return np.frombuffer(hashlib.sha256(data).digest(), np.uint8)


def code_number(code: str) -> int:
    """
    >>> code_number("IMG104"), code_name(104)
    (104, 'IMG104')
    """
    return int(code.removeprefix("IMG"))


def code_name(number: int) -> str:
    """The code of a number."""
    return f"IMG{number}"
