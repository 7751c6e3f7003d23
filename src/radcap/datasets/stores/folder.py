"""Images that are files of a folder.

Invariant: a key is a path below the folder, and no key leaves it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from radcap.datasets.refusal import missing_image
from radcap.datasets.stores.entries import is_file
from radcap.datasets.stores.file_bytes import file_bytes
from radcap.datasets.stores.file_names import is_image

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["FolderImages", "walk"]

_PASSED_BY = "__MACOSX"  # what the archive program of a Mac adds to every zip


@dataclass(frozen=True, slots=True)
class FolderImages:
    """Files by their path below `root`."""

    root: Path

    def read(self, key: str) -> bytes:
        path = self.path(key)
        if path is None:
            raise missing_image(key)
        return file_bytes(path, key)

    def has(self, key: str) -> bool:
        return self.path(key) is not None

    def name(self, key: str) -> str:
        return key

    def path(self, key: str) -> Path | None:
        """The file of a key; nothing where there is none, or the key would leave the folder."""
        below = PurePosixPath(key)
        if not key or below.is_absolute() or ".." in below.parts or "\0" in key:
            return None
        path = self.root / below
        return path if is_file(path) else None

    def stamp(self, key: str) -> str:
        path = self.path(key)
        if path is None:
            return ""
        seen = path.stat()
        return f"{seen.st_size}:{seen.st_mtime_ns}"

    def keys(self) -> Iterable[str]:
        for folder, names in walk(self.root):
            yield from (str(folder / name) for name in names if is_image(name))


def walk(root: Path) -> Iterator[tuple[PurePosixPath, list[str]]]:
    """Folders below `root` with the names of their files, in order; links are followed, circles are not."""
    seen: set[str] = set()
    for place, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != _PASSED_BY)
        yield PurePosixPath(Path(place).relative_to(root).as_posix()), sorted(names)
