"""What can be said of the images of a release without reading through them.

Invariant: opening looks at names and at the last bytes of a zip. Only a split without any labels is listed,
since its images are all that is known of it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from radcap.datasets.stores.file_names import is_image, safe_name, stem_of
from radcap.datasets.stores.folder import FolderImages
from radcap.datasets.stores.tar_members import TarImages
from radcap.datasets.stores.zip_members import ZipImages, why_broken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.files import Container, ReleaseFolder
    from radcap.datasets.stores import ImageStore

__all__ = ["MODALITIES", "check_images", "modality_folders", "unlabelled"]

MODALITIES = ("DRAN", "DRCO", "DRCT", "DRMR", "DRPE", "DRUS", "DRXR")  # the folders of 2020
_PART = re.compile(r"(?P<whole>.+\.zip)\.(?P<part>[a-z]{2}|\d{2,3})|(?P<stem>.+)\.z\d\d", re.IGNORECASE)


def unlabelled(folder: ReleaseFolder, labelled: Iterable[str]) -> dict[str, list[str]]:
    """Ids of the images of splits that have no labels at all, by split."""
    known = set(labelled)
    found: dict[str, dict[str, None]] = {}
    for one in folder.containers:
        if one.split and one.split not in known:
            ids = (stem_of(PurePosixPath(name).name) for name in _names(one.path))
            found.setdefault(one.split, {}).update(dict.fromkeys(ids))
    return {split: sorted(ids) for split, ids in found.items() if ids}


def modality_folders(folder: ReleaseFolder) -> dict[str, str]:
    """The modality of each id that lies in a folder called after one."""
    found: dict[str, str] = {}
    for one in folder.containers:
        if one.path.name in MODALITIES and one.path.is_dir():
            found.update((stem_of(PurePosixPath(name).name), one.path.name) for name in _names(one.path))
    return found


def _names(path: Path) -> list[str]:
    store: ImageStore
    if path.is_dir():
        store = FolderImages(path)
    else:
        store = ZipImages((path,)) if path.suffix.lower() == ".zip" else TarImages((path,))
    return [store.name(key) for key in store.keys()]  # noqa: SIM118 - a store is no mapping


def check_images(folder: ReleaseFolder, counts: Mapping[str, int], findings: Findings) -> None:
    """Name what a half copy lacks: broken zips, parts of zips, splits without any image."""
    for one in folder.containers:
        if one.path.suffix.lower() == ".zip" and one.path.is_file():
            why = why_broken(one.path)
            if why:
                findings.add("DAT104", one.path.name, file=one.path.name, why=why)
    parted = _check_parts(folder, findings)
    for split, n in counts.items():
        if n and not parted and not _has_images(folder, split):
            name = safe_name(split) if split else "images"
            where = f"{name}/ or {name}_images.zip"
            findings.add("DAT108", split=split or "the split without name", n=n, where=where)


def _has_images(folder: ReleaseFolder, split: str) -> bool:
    return any(_holds_image(one.path) for one in folder.containers if _may_hold(one, split)) or any(
        is_image(name) for name in folder.others
    )


def _may_hold(one: Container, split: str) -> bool:
    if one.split == split or not one.split:
        return True
    return one.path.stem.removesuffix("_images") == safe_name(split)


def _holds_image(path: Path) -> bool:
    """Whether an archive is there, or a folder has one image; the first that is met is enough."""
    if not path.is_dir():
        return True
    inside: list[str] = []
    with os.scandir(path) as entries:
        for one in entries:
            if is_image(one.name) or one.name.lower().endswith((".zip", ".tar")):
                return True
            if one.is_dir(follow_symlinks=False):
                inside.append(one.path)
    return any(_holds_image(Path(one)) for one in inside)


def _check_parts(folder: ReleaseFolder, findings: Findings) -> bool:
    """Whether there are zips in parts; each is named, with the part that is missing where one is."""
    whole = {one.path.name for one in folder.containers}
    parts: dict[str, list[str]] = {}
    for name in folder.others:
        match = _PART.fullmatch(name)
        if match is not None and (match["stem"] or match["whole"] not in whole):
            parts.setdefault(match["whole"] or f"{match['stem']}.zip", []).append(name)
    for joined, names in parts.items():
        gap = _gap(joined, sorted(names))
        if gap:
            findings.add("DAT109", min(names), file=min(names), n=len(names) + 1, missing=gap)
        else:
            findings.add("DAT121", joined, file=joined, n=len(names), parts=f"{joined}.*")
    return bool(parts)


def _gap(joined: str, names: list[str]) -> str:
    """The first part that is not there although a later one is."""
    ends = [name.removeprefix(f"{joined}.") for name in names]
    if not all(end.isalpha() and end.islower() for end in ends):
        numbers = [int(re.sub(r"\D", "", end)) for end in ends]
        wanted = range(min(numbers[0], 1), numbers[-1] + 1)
        missing = next((n for n in wanted if n not in numbers), None)
        return "" if missing is None else f"part {missing}"
    letters = [chr(97 + i) + chr(97 + j) for i in range(26) for j in range(26)]
    wanted = letters[: letters.index(ends[-1]) + 1]
    return next((f"{joined}.{end}" for end in wanted if end not in ends), "")
