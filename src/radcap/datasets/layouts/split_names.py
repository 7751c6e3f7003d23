"""The split that the name of a file or folder tells.

Invariant: the three usual splits have one name each, whatever a release calls them.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

__all__ = ["SPLIT_WORDS", "folder_split", "is_split", "split_of", "tells_split"]

SPLIT_WORDS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev", "development"), "valid"),
    **dict.fromkeys(("test", "testing"), "test"),
}
_SHARD = re.compile(r"[-_.]?\d+(?:-of-\d+(?:-[0-9a-f]+)?)?$")


def is_split(name: str) -> bool:
    """Whether a name is that of a split and nothing else."""
    return name.casefold() in SPLIT_WORDS


def tells_split(name: str) -> str:
    """The split a name stands for, or nothing.

    >>> tells_split("validation-00000-of-00002"), tells_split("images_test"), tells_split("figures")
    ('valid', 'test', '')
    """
    words = re.split(r"[-_. ]", name.casefold())
    return next((SPLIT_WORDS[word] for word in words if word in SPLIT_WORDS), "")


def folder_split(path: str, default: str = "train") -> str:
    """The split of an image by the folders it lies in.

    >>> folder_split("val/test_1.jpg"), folder_split("scans/1.jpg")
    ('valid', 'train')
    """
    folders = reversed(PurePosixPath(path).parent.parts)
    return next((told for part in folders if (told := tells_split(part))), default)


def split_of(path: str, default: str = "train") -> str:
    """The split of a file by its name, else by its folder, else by what stands before its number.

    >>> split_of("data/train-00000-of-00003.parquet"), split_of("val/x.jpg"), split_of("extra-00001.tar")
    ('train', 'valid', 'extra')
    """
    parts = PurePosixPath(path)
    for part in (parts.stem, *reversed(parts.parent.parts)):
        if told := tells_split(part):
            return told
    stem = _SHARD.sub("", parts.stem)
    return stem if stem != parts.stem and stem else default
