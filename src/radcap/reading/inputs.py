"""The images that somebody names: files, folders, patterns, lists and datasets, as one dataset.

Invariant: all that is wrong with the names is told at once, before any image is opened; files come in the
order they were named, those of a folder or pattern by name.
"""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import InputError, UsageError
from radcap.datasets import load_dataset
from radcap.datasets.image_files import image_files
from radcap.datasets.images.sniffing import ENDINGS, kind_of
from radcap.datasets.layouts import recognise
from radcap.datasets.layouts.image_folder.metadata_files import METADATA_FILES
from radcap.datasets.loading import BUNDLED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from radcap.datasets import Dataset

__all__ = ["LISTED", "images_of"]

LISTED = "-"  # stands for the names that are listed elsewhere
_SUFFIXES = frozenset({*ENDINGS.values(), ".jpeg", ".tiff", ".dicom"})
_HEAD = 256  # bytes that tell an image; a DICOM file says what it is at 128
_PLAIN = "folder"  # the layout that a folder of nothing but images has as well
_SHOWN = 5
_WILD = frozenset("*?[")


def images_of(names: Sequence[str | Path], listed: Iterable[str] = ()) -> Dataset:
    """The images of names. `-` stands for those of `listed`, one a line.

    A single name may be that of a dataset, or its folder.
    """
    if not names:
        raise UsageError(
            "No image was named. Give files, folders, patterns like 'scans/*.png', or a dataset."
        )
    if len(names) == 1 and (found := _dataset(str(names[0]))) is not None:
        return found
    problems: list[str] = []
    files = [file for name in _spelled(names, listed) for file in _files(name, problems)]
    if problems:
        shown = " ".join(problems[:_SHOWN])
        more = f" And {len(problems) - _SHOWN:,} more." if len(problems) > _SHOWN else ""
        raise UsageError(f"{shown}{more} Nothing was read. Check the names.")
    if not files:
        raise UsageError("The list names no image. Write one name a line.")
    return image_files(files, check=False)  # a link in a folder that leads nowhere is told with its reading


def _dataset(name: str) -> Dataset | None:
    """A dataset that ships inside, or one in a folder with labels."""
    if name in BUNDLED and not Path(name).exists():
        return load_dataset(name)
    folder = Path(name)
    if name == LISTED or not _is_folder(folder):
        return None
    try:
        layout = recognise(folder)
    except OSError as error:
        raise InputError(f"The folder {name} cannot be read: {error.strerror}. Check its rights.") from error
    labelled = layout is not None and (layout != _PLAIN or _has_labels(folder))
    return load_dataset(folder) if labelled else None


def _has_labels(folder: Path) -> bool:
    """Whether somebody wrote down what the images of a folder are."""
    inside = [
        *folder.iterdir(),
        *(below for one in folder.iterdir() if _is_folder(one) for below in one.iterdir()),
    ]
    return any(one.name in METADATA_FILES for one in inside)


def _spelled(names: Sequence[str | Path], listed: Iterable[str]) -> Iterator[str]:
    for name in names:
        if str(name) == LISTED:
            yield from (line.rstrip("\r\n") for line in listed if line.strip())
        else:
            yield str(name)


def _files(name: str, problems: list[str]) -> list[Path]:
    """The files that a name stands for; a name that stands for none is a problem."""
    path = Path(name)
    if _exists(path):
        return _inside(path, problems) if _is_folder(path) else [path]
    if _WILD & set(name):
        named = glob.glob(name, recursive=True)  # noqa: PTH207 - a pattern may begin at the root
        found = [Path(one) for one in sorted(named) if not _is_folder(Path(one))]
        if not found:
            problems.append(f"No file fits the pattern {name}.")
        return found
    problems.append(f"{name} is not there.")
    return []


def _inside(folder: Path, problems: list[str]) -> list[Path]:
    """The images of a folder and of those below it, hidden ones left out."""
    unreadable: list[str] = []
    found: list[Path] = []
    for place, below, names in os.walk(folder, onerror=lambda error: unreadable.append(_why(error))):
        below[:] = sorted(one for one in below if not one.startswith("."))
        paths = [Path(place, one) for one in sorted(names) if not one.startswith(".")]
        found += [one for one in paths if _is_image(one)]
    problems += unreadable
    if not found and not unreadable:
        problems.append(f"The folder {folder} holds no image.")
    return found


def _why(error: OSError) -> str:
    return f"The folder {error.filename} cannot be read: {error.strerror}."


def _is_image(path: Path) -> bool:
    """By its ending, or where that says nothing (as of many DICOM files) by its first bytes."""
    if path.suffix.lower() in _SUFFIXES:
        return True
    try:
        if not path.is_file():  # to open a pipe is to wait for somebody at its other end
            return False
        with path.open("rb") as file:
            return bool(kind_of(file.read(_HEAD)))
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a byte that no name can have
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
