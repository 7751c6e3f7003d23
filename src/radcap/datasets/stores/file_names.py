"""How image files are called: endings, stems, and names that are safe on any disk.

Invariant: different ids have different safe names, and the name of a plain id is the id itself.
"""

from __future__ import annotations

import hashlib
import re

__all__ = ["cased_name", "image_ending", "is_image", "safe_name", "stem_of"]

_ENDINGS = "jpe?g|png|gif|bmp|tiff?|webp|dcm|dicom|bin"  # .bin is what is written where nobody knows better
_IMAGE = re.compile(rf"\.(?:{_ENDINGS})$", re.IGNORECASE)
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]|^\.|[. ]$')
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)  # by Windows
_LONGEST = 180  # bytes; most disks take 255, and an ending must fit


def image_ending(name: str) -> str:
    """The ending of an image file, or nothing: a dot inside an id is none."""
    match = _IMAGE.search(name)
    return match[0] if match else ""


def is_image(name: str) -> bool:
    """Whether a name is that of an image file; hidden files are none."""
    return _IMAGE.search(name) is not None and not name.startswith(".")


def stem_of(name: str) -> str:
    """The name without the ending of an image.

    >>> stem_of("1.2.840.jpg"), stem_of("1.2.840")
    ('1.2.840', '1.2.840')
    """
    return name.removesuffix(image_ending(name))


def safe_name(text: str) -> str:
    """A file name for any id.

    >>> safe_name("a/../b")
    'a%2F..%2Fb'
    """
    name = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text) or "%"
    if _TAKEN.fullmatch(name):
        return f"%{name}"
    return name if len(name.encode()) <= _LONGEST else cased_name(name)


def cased_name(text: str) -> str:
    """A name that differs from that of every other id by more than capitals."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    start = _UNSAFE.sub("_", text).encode()[: _LONGEST - len(digest) - 2].decode("utf-8", "ignore")
    return f"{start}%~{digest}"
