"""Checks of images: whether they are there, can be decoded, are what they are called and show something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.images.sniffing import ENDINGS
from radcap.formats import named, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.survey.survey import Survey

__all__ = ["check_files", "check_pixels"]

_TINY = 8  # pixels of a side below which nothing can be seen
_FLAT = 0.5  # grey levels of standard deviation below which a picture is one colour
_KINDS = {ending: kind for kind, ending in ENDINGS.items()} | {
    ".jpeg": "JPEG",
    ".jpe": "JPEG",
    ".tiff": "TIFF",
    ".dicom": "DICOM",
}


def check_files(dataset: Dataset, findings: Findings) -> int:
    """Images that are missing, unnamed by any record, or oddly named; gives how many are there."""
    store = dataset.images
    keys: list[str] = dataset.column("image").to_pylist()
    ids = dataset.ids
    there = [bool(key) and store.has(key) for key in keys]
    missing = [place for place, has in enumerate(there) if not has]
    findings.add_each("DAT301", missing, lambda place: {"id": named(ids[place])})
    known = set(keys)
    orphans = [key for key in store.keys() if key not in known]  # noqa: SIM118 - a store is no mapping
    findings.add_each(
        "DAT302",
        range(len(orphans)),
        lambda place: {"name": named(store.name(orphans[place]))},
        lambda place: store.name(orphans[place]),
    )
    _check_names(dataset, keys, there, findings)
    return sum(there)


def _check_names(dataset: Dataset, keys: list[str], there: list[bool], findings: Findings) -> None:
    """Files whose name differs from the id in case only, or whose ending is written large."""
    ids = dataset.ids
    names = [dataset.images.name(key) if has else "" for key, has in zip(keys, there, strict=True)]
    files = [name.rpartition("/")[2] for name in names]

    def wanted(place: int) -> str:
        return ids[place] + _ending(files[place]).lower()

    other = [
        place
        for place, file in enumerate(files)
        if file and file != wanted(place) and file.casefold() == wanted(place).casefold()
    ]
    findings.add_each(
        "DAT304",
        other,
        lambda place: {"id": named(ids[place]), "name": named(files[place]), "wanted": named(wanted(place))},
        lambda place: names[place],
    )


def _ending(name: str) -> str:
    """The ending of a file name with its dot, as it is written."""
    before, dot, after = name.rpartition(".")
    return f"{dot}{after}" if before and "/" not in after else ""


def check_pixels(dataset: Dataset, survey: Survey, findings: Findings) -> None:
    """Images that cannot be decoded, belie their ending, or show nothing."""
    store = dataset.images
    keys: list[str] = dataset.column("image").to_pylist()

    def file(place: int) -> str:
        return store.name(keys[place])

    broken = [i for i, code in enumerate(survey.refused) if code not in {"", "IMG101"}]
    findings.add_each("DAT303", broken, lambda i: {"id": named(survey.ids[i]), "why": survey.why[i]}, file)
    belied = [i for i, kind in enumerate(survey.kinds) if kind and _said(file(i)) not in {"", kind}]
    findings.add_each("DAT306", belied, lambda i: {"name": shown(file(i)), "kind": survey.kinds[i]}, file)
    _check_emptiness(survey, findings, file)


def _said(name: str) -> str:
    """The kind of content that an ending promises; nothing for an ending of no image."""
    return _KINDS.get(_ending(name).lower(), "")


def _check_emptiness(survey: Survey, findings: Findings, file: Callable[[int], str]) -> None:
    seen = survey.widths > 0
    tiny = seen & (np.minimum(survey.widths, survey.heights) < _TINY)
    flat = seen & ~tiny & (survey.deviations < _FLAT) & ~survey.colour

    def sides(place: int) -> dict[str, object]:
        width, height = int(survey.widths[place]), int(survey.heights[place])
        return {"id": named(survey.ids[place]), "width": width, "height": height}

    findings.add_each("DAT307", np.flatnonzero(tiny).tolist(), sides, file)
    findings.add_each("DAT308", np.flatnonzero(flat).tolist(), sides, file)
