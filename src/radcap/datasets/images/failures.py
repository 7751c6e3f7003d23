"""What decoders raise on broken files.

Invariant: all that Pillow and pydicom were seen to raise on mutated files stands here; `except Exception`
would hide mistakes of our own.
"""

from __future__ import annotations

import struct
import zlib

from PIL import Image

__all__ = ["FAILURES", "reason"]

FAILURES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
_SHOWN = 200  # letters of a decoder's message


def reason(failure: BaseException) -> str:
    """The message of a decoder in one line, without its full stop.

    >>> reason(OSError("image file is\\ntruncated."))
    'image file is truncated'
    """
    return " ".join(str(failure).split())[:_SHOWN].rstrip(".") or type(failure).__name__
