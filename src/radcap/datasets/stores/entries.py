"""What the entries of a folder are, also where the disk refuses to say.

Invariant: a link that leads nowhere or to itself, or a name too long to look up, is neither file nor folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = ["is_file", "is_folder", "is_inner"]


def is_file(entry: os.DirEntry[str] | Path) -> bool:
    """Whether there is a file of that name."""
    try:
        return entry.is_file()
    except OSError:
        return False


def is_folder(entry: os.DirEntry[str] | Path) -> bool:
    """Whether there is a folder of that name."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_inner(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, and no link that leads back to where it lies or above."""
    if not entry.is_symlink():
        return is_folder(entry)
    path = Path(entry.path)
    return is_folder(entry) and not path.parent.resolve().is_relative_to(path.resolve())
