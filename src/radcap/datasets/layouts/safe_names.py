"""File names for ids of any kind.

Invariant: a name is plain, at most 200 bytes long, stays in its folder, and differs from every other by more
than capitals, so that it survives every file system. An id that is no such name is kept in the labels alone.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["UNNAMED", "FileNames", "plain"]

UNNAMED = "unnamed"  # where the files of a split lie that has no name

_LONGEST = 200
_PLAIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?")
_TAKEN = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|metadata", re.IGNORECASE)  # Windows; our table


def plain(text: str) -> bool:
    """Whether an id can be a file name as it is."""
    return len(text) <= _LONGEST and bool(_PLAIN.fullmatch(text)) and not _TAKEN.fullmatch(text)


class FileNames:
    """Gives each id its name, and none twice. `dots` says whether a name may hold them."""

    def __init__(self, dots: bool = True) -> None:
        self._dots = dots
        self._given: set[str] = set()

    @classmethod
    def of(cls, splits: Iterable[str]) -> dict[str, str]:
        """What the files or the folder of each split are called."""
        names = cls(dots=False)
        return {split: names.give(split or UNNAMED) for split in splits}

    def give(self, text: str) -> str:
        """The id itself where that is safe, else a name made from its digest."""
        name = text
        if not plain(text) or text.casefold() in self._given or ("." in text and not self._dots):
            name = f"id-{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()[:24]}"
            while name in self._given:
                name += "-2"  # the same id twice: both images are written
        self._given.add(name.casefold())
        return name
