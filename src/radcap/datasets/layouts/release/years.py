"""Which edition a folder of release files is from.

Invariant: names decide first, then the first id of a label file; a folder without label files is no release.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.datasets.layouts.release.files import ReleaseFolder, look
from radcap.datasets.layouts.release.names import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["edition_of"]

_YEAR = re.compile(r"20(?:1[7-9]|2[0-6])(?!\d)")
_CLEF_YEAR = re.compile(r"(?:CLEF|Caption)\w*?_?(20(?:1[7-9]|2[0-6]))(?!\d)", re.IGNORECASE)
_SIGNS: Mapping[str, str] = {
    r"(?:^|\n)license_information": "rocov2",
    r"(?:^|[\n/])(?:Training|Validation|Test)_Set_": "imageclef-2021",
    r"(?:^|\n)(?:Training|Validation|Test)_Concepts\.": "imageclef-2020",
    r"(?:^|\n)(?:string_concepts|val_concepts)\.": "imageclef-2019",
    r"(?:^|\n)(?:concept_detection|caption_prediction)_": "imageclef-2022",
    r"(?:^|\n)(?:train|valid|test)_images\.zip": "rocov2",
}
_FIRST = 1024  # bytes that hold a header and an id


def edition_of(folder: Path) -> str | None:
    """The name of the layout, or nothing where the folder is no release."""
    found = look(folder)
    labels = found.of(*LABELS)
    if not labels:
        return None
    inside = (*found.files, *found.names)
    names = "\n".join([*(one.name for one in inside), *(one.path.name for one in found.containers)])
    return _by_year(found) or _by_sign(names) or _by_id(labels[0].path) or "imageclef-2026"


def _by_year(found: ReleaseFolder) -> str | None:
    years = {match[0] for one in found.of(*LABELS) for match in _YEAR.finditer(one.name)}
    return f"imageclef-{years.pop()}" if len(years) == 1 else None


def _by_sign(names: str) -> str | None:
    return next((edition for sign, edition in _SIGNS.items() if re.search(sign, names)), None)


def _by_id(path: Path) -> str | None:
    with path.open("rb") as file:
        start = file.read(_FIRST).decode("utf-8", "replace")
    if "ROCOv2" in start:
        return "rocov2"
    match = _CLEF_YEAR.search(start)
    return f"imageclef-{match[1]}" if match else None
