"""The files of a release, found by one look at its folder and the folders directly inside.

Invariant: every table of text is used or named as left alone. No folder of images is read through.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from radcap.datasets.concept_names import is_concept_list
from radcap.datasets.layouts.release.names import LABELS, Kind, NamedFile, release_file, split_of
from radcap.datasets.stores.entries import is_file, is_inner

if TYPE_CHECKING:
    from radcap.datasets.findings import Findings

__all__ = ["Container", "ReleaseFile", "ReleaseFolder", "look"]

_ARCHIVES = (".zip", ".tar")
_LOOKED_AT = 512  # entries of a folder inside, where the labels lie beside it already
_SILENT = frozenset({Kind.NAMES, Kind.IDS})


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A table of the release; `name` is its path below the folder."""

    path: Path
    name: str
    kind: Kind
    split: str
    plain: bool


@dataclass(frozen=True, slots=True)
class Container:
    """A folder or archive that may hold images; `split` is what its name says."""

    path: Path
    split: str


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """What lies in a folder."""

    files: tuple[ReleaseFile, ...]
    names: tuple[ReleaseFile, ...]  # files with the names of concepts, which are read elsewhere
    containers: tuple[Container, ...]
    others: tuple[str, ...]  # names of everything else

    def of(self, *kinds: Kind) -> tuple[ReleaseFile, ...]:
        return tuple(one for kind in kinds for one in self.files if one.kind is kind)


def look(folder: Path, findings: Findings | None = None) -> ReleaseFolder:
    """The folder by its names; tables that are left alone go to `findings`."""
    top = sorted(os.scandir(folder), key=lambda one: one.name)
    found = [_file(Path(one.path), one.name) for one in top if is_file(one)]
    labelled = any(one is not None and one.kind in LABELS for one in found)
    containers: list[Container] = []
    others = [one.name for one in top if is_file(one) and release_file(one.name) is None]
    for one in top:
        if one.name.lower().endswith(_ARCHIVES) or (is_inner(one) and not one.name.startswith(".")):
            containers.append(Container(Path(one.path), split_of(one.name)))
        if is_inner(one) and not one.name.startswith("."):
            _look_inside(Path(one.path), labelled, found, containers)
    files = [one for one in found if one is not None]
    used = tuple(one for one in files if _counts(one, files))
    if findings is not None:
        _name_left_alone(files, used, findings)
    names = tuple(one for one in files if one.kind is Kind.NAMES)
    return ReleaseFolder(used, names, tuple(containers), tuple(others))


def _look_inside(
    folder: Path, labelled: bool, found: list[ReleaseFile | None], containers: list[Container]
) -> None:
    with os.scandir(folder) as entries:
        seen = list(islice(entries, _LOOKED_AT) if labelled else entries)
    for one in sorted(seen, key=lambda entry: entry.name):
        if one.name.lower().endswith(_ARCHIVES) or is_inner(one):
            split = split_of(one.name) or split_of(folder.name)
            containers.append(Container(Path(one.path), split))
        elif is_file(one):
            found.append(_file(Path(one.path), f"{folder.name}/{one.name}"))


def _file(path: Path, name: str) -> ReleaseFile | None:
    said = release_file(name)
    if said is None or path.name.startswith("."):
        return None
    if said.kind is Kind.CONCEPTS and is_concept_list(path):
        said = NamedFile(Kind.NAMES, "", said.plain)
    return ReleaseFile(path, name, said.kind, said.split, said.plain)


def _counts(one: ReleaseFile, files: list[ReleaseFile]) -> bool:
    """Whether a file is used: one with strange words in its name gives way to one without."""
    if one.kind in _SILENT or one.kind is Kind.UNKNOWN:
        return False
    if one.plain or one.kind is Kind.ATTRIBUTION:
        return True
    rivals = (other for other in files if other.plain and other.kind is one.kind)
    return not any(not one.split or other.split == one.split for other in rivals)


def _name_left_alone(files: list[ReleaseFile], used: tuple[ReleaseFile, ...], findings: Findings) -> None:
    for one in files:
        if one not in used and one.kind not in _SILENT and one.path.suffix.lower() != ".txt":
            findings.add("DAT107", one.name, file=one.name)
