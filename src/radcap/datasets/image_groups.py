"""Which images hang together: those of one patient or one article, from a table or a dataset.

Invariant: each image has one group, or none, "", if it stands by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from radcap.core import InputError, counted
from radcap.datasets.dataset import Dataset
from radcap.datasets.findings import Findings
from radcap.datasets.layouts.release.attribution_file import GROUP_NAMES
from radcap.datasets.layouts.release.labels import id_place, texts
from radcap.datasets.loading import load_dataset
from radcap.datasets.text_tables import read_csv
from radcap.formats.findings import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.core import ImageId

__all__ = ["image_groups"]


def image_groups(source: Dataset | Path | str) -> dict[ImageId, str]:
    """The group of each image: of a dataset, its name or folder, or of a CSV file with a column `group`."""
    if not isinstance(source, Dataset) and Path(source).is_file():
        return _of_table(Path(source))
    dataset = source if isinstance(source, Dataset) else load_dataset(source)
    return _checked(dataset.name, zip(dataset.ids, dataset.column("group").to_pylist(), strict=True))


def _of_table(path: Path) -> dict[ImageId, str]:
    findings = Findings()
    table = read_csv(path, findings)
    findings.refuse(str(path))
    column = table.column(*GROUP_NAMES)
    if column is None:
        read = f"the columns {', '.join(map(named, table.spelled))}" if table.spelled else "no header"
        raise InputError(
            f"{path.name} has {read}. Which images hang together should stand in a column `group`. "
            "Write a header that names it."
        )
    ids, groups = (texts(one).to_pylist() for one in (table.columns[id_place(table)], column))
    return _checked(path.name, zip(ids, groups, strict=True))


def _checked(name: str, pairs: Iterable[tuple[ImageId, str | None]]) -> dict[ImageId, str]:
    """One group for each image; a source in which no image has one says nothing."""
    found: dict[ImageId, str] = {}
    torn: list[ImageId] = []
    for image, group in pairs:
        if found.setdefault(image, group or "") != (group or ""):
            torn.append(image)
    if torn:
        raise InputError(
            f"{name} gives {counted(len(set(torn)))} two groups, e.g. {named(min(torn))}. "
            "Each image belongs to one. Leave one row for each."
        )
    if not any(found.values()):
        raise InputError(
            f"{name} names no group of any of {counted(len(found))}. Nothing hangs together in it. "
            "Fill its column `group`, or compare without groups."
        )
    return found
