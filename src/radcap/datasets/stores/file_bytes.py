"""The bytes of an image file that somebody named.

Invariant: what is larger than any image that is decoded is refused by its size alone, and nothing that never
ends, as a pipe or a device, is opened.
"""

from __future__ import annotations

from stat import S_ISREG
from typing import TYPE_CHECKING

from radcap.datasets.refusal import refuse

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["file_bytes"]


def file_bytes(path: Path, name: str) -> bytes:
    """All of a file; `name` is what the image is called where it is refused."""
    from radcap.datasets.images.limits import LIMITS  # with it comes the decoder, which takes its time

    try:
        seen = path.stat()
        if not S_ISREG(seen.st_mode):
            raise refuse("IMG109", name, why="it is no regular file")
        if seen.st_size > LIMITS.size_bytes:
            raise refuse("IMG107", name, size=seen.st_size, limit=LIMITS.size_bytes)
        return path.read_bytes()
    except OSError as error:
        raise refuse("IMG109", name, why=error.strerror or "the disk refuses") from None
