"""What lies in a folder, told by names alone.

Invariant: no file is opened or looked at one by one: a folder of a hundred thousand images costs one listing.
"""

from __future__ import annotations

import os
from pathlib import Path

from radcap.datasets.stores.entries import is_folder, is_inner

__all__ = ["files_in", "folders_in"]


def files_in(folder: Path) -> list[str]:
    """The names of the files of a folder, hidden ones left out."""
    with os.scandir(folder) as entries:
        return sorted(one.name for one in entries if one.name[0] != "." and not is_folder(one))


def folders_in(folder: Path) -> list[Path]:
    """The folders directly inside, hidden ones left out, and links that lead back here or above."""
    with os.scandir(folder) as entries:
        return sorted(Path(one.path) for one in entries if one.name[0] != "." and is_inner(one))
