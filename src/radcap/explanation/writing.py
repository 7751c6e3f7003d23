"""Explanations as files: maps, pictures, one JSON file and one page.

    explanations.json   what was said of each image, why, and how far to trust it
    viewer.html         all of it to look at: one file, nothing fetched
    figures/NAME.png    one picture an image          maps/NAME.npz   its maps, as numbers

Invariant: the folder is new or empty when it is begun; every file is whole or not there. Maps are forgotten
as soon as they are written, so memory grows with the page alone, which ends at `PAGE` images.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import VERSION, UsageError
from radcap.core.counts import counted
from radcap.explanation.explaining import Failure
from radcap.explanation.pictures import figure
from radcap.explanation.viewer import Viewer
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from radcap.explanation.values import Explanation

__all__ = ["PAGE", "FileNames", "Written", "check_folder", "write_explanations"]

PAGE = 200  # images that a page holds
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LETTERS = 80


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and what could not be."""

    folder: Path
    images: tuple[str, ...]
    files: tuple[str, ...]  # of the figures, in the order of the images
    failures: tuple[Failure, ...] = ()
    silent: tuple[str, ...] = ()  # images of which nothing could be shown
    records: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds something, before any work."""
    if folder.is_file():
        raise UsageError(f"{folder} is a file. Explanations are several: name a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty, and nothing in it is replaced. Name a new folder.")


def write_explanations(
    explained: Iterable[Explanation | Failure], folder: Path, title: str = "Explanations"
) -> Written:
    """Write one after another as they come, the page and the JSON file at the end."""
    check_folder(folder)
    viewer, names = Viewer(), FileNames()
    failures: list[Failure] = []
    silent: list[str] = []
    records: list[dict[str, Any]] = []
    for one in explained:
        if isinstance(one, Failure):
            failures.append(one)
            continue
        name = names.name(one.image)
        _write_one(one, folder, name)
        records.append({**one.to_json(), "figure": f"figures/{name}.png", "maps": f"maps/{name}.npz"})
        silent += [] if any(evidence.map is not None for evidence in one.evidence) else [one.image]
        if len(records) <= PAGE:
            viewer.add(one)
    images, files = (tuple(one[key] for one in records) for key in ("image", "figure"))
    written = Written(folder, images, files, tuple(failures), tuple(silent), tuple(records))
    _write_end(written, viewer, title)
    return written


def _write_one(explanation: Explanation, folder: Path, name: str) -> None:
    with replacing(folder / "figures" / f"{name}.png") as part:
        figure(explanation).save(part, format="PNG", optimize=False)
    maps: dict[str, Any] = {}
    for one in explanation.evidence:
        if one.map is not None:
            maps[one.key] = _half(one.map)
        if one.spread is not None:
            maps[f"{one.key}-spread"] = _half(one.spread)
    with replacing(folder / "maps" / f"{name}.npz") as part, part.open("wb") as file:
        np.savez_compressed(file, **maps)


def _half(values: np.ndarray) -> np.ndarray:
    """In half precision, brought to a largest value of one: a map of shares has very small ones."""
    return (values / max(float(np.abs(values).max()), 1e-30)).astype(np.float16)


def _write_end(written: Written, viewer: Viewer, title: str) -> None:
    told = {
        "radcap": VERSION,
        "explanations": list(written.records),
        "failures": [{"image": one.image, "why": one.why} for one in written.failures],
    }
    with replacing(written.folder / "explanations.json") as part:
        part.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    beyond = len(written.images) - PAGE
    more = f"For {counted(beyond, 'more image')} see explanations.json and figures/." if beyond > 0 else ""
    with replacing(written.folder / "viewer.html") as part:
        part.write_text(viewer.page(title, more), encoding="utf-8")


class FileNames:
    """Ids as names of files; no two are alike, also where capitals are not told apart."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.times = Counter[str]()

    def name(self, image: str) -> str:
        base = _UNSAFE.sub("-", image).strip(".-")[:_LETTERS] or "image"
        name = base
        while name.lower() in self.taken:
            self.times[base] += 1
            name = f"{base}-{self.times[base] + 1}"
        self.taken.add(name.lower())
        return name
