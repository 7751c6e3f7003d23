"""Releases as ROCOv2 and ImageCLEF publish them: label files and folders or archives of images.

Invariant: one reader opens every edition, tolerant of names, since people rename and mix what they download;
an edition matters only for writing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.columns import NAMES
from radcap.datasets.layouts.release.attribution_file import ATTRIBUTION_FILE, attribution_of
from radcap.datasets.layouts.release.editions import EDITIONS, Edition
from radcap.datasets.layouts.release.files import ReleaseFolder, look
from radcap.datasets.layouts.release.images import check_images, modality_folders, unlabelled
from radcap.datasets.layouts.release.kept import KeptTable
from radcap.datasets.layouts.release.labels import labels_of
from radcap.datasets.layouts.release.names import LABELS, Kind, split_of
from radcap.datasets.layouts.release.records import assemble
from radcap.datasets.layouts.release.splits import with_splits
from radcap.datasets.layouts.release.writing import write_release
from radcap.datasets.layouts.release.years import edition_of
from radcap.datasets.stores.named_images import NamedImages
from radcap.datasets.text_tables.files import read_csvs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.layouts.release.attribution_file import Attribution
    from radcap.datasets.saving import Payloads
    from radcap.datasets.stores import ImageStore
    from radcap.datasets.text_tables.files import CsvFile

__all__ = ["ReleaseLayout", "release_layout"]


@dataclass(frozen=True, slots=True)
class ReleaseLayout:
    """The layout of one edition."""

    edition: Edition

    def recognises(self, folder: Path) -> bool:
        return edition_of(folder) == self.edition.name

    def read(self, folder: Path, findings: Findings) -> tuple[pa.Table, ImageStore]:
        opened = read_release(folder, findings)
        pa.default_memory_pool().release_unused()  # the label files have been joined
        return opened

    def write(self, dataset: Dataset, folder: Path, payloads: Payloads) -> None:
        write_release(dataset, folder, payloads, self.edition)


def read_release(folder: Path, findings: Findings) -> tuple[pa.Table, NamedImages]:
    """Records and images of a release of any edition."""
    found = look(folder, findings)
    kept = KeptTable.of(folder, found.files)
    table = kept.read()
    if table is None:
        table = _joined(found, kept, findings)
    counts = {one["values"]: one["counts"] for one in pc.value_counts(table["split"]).to_pylist()}
    check_images(found, counts, findings)
    return table, NamedImages(folder, tuple(counts), split_of, table["image"])


def _joined(found: ReleaseFolder, kept: KeptTable, findings: Findings) -> pa.Table:
    """The records of all label files; kept for the next time where they alone tell them."""
    before = findings.counts.total()
    tables = read_csvs({one.name: one.path for one in found.files}, findings)
    rights = _rights(found, tables, findings)
    read = (labels_of(one, tables[one.name], findings) for one in found.of(*LABELS))
    labels = with_splits([one for one in read if one is not None], rights, findings)
    known = {one.split for one in labels} | {
        split for one in rights if one.splits is not None for split in pc.unique(one.splits).to_pylist()
    }
    unseen, modalities = unlabelled(found, known), modality_folders(found)
    table = _with_modalities(assemble(labels, rights, unseen, findings), modalities)
    if not unseen and not modalities and findings.counts.total() == before:
        kept.keep_soon(table)
    return table


def _rights(found: ReleaseFolder, tables: Mapping[str, CsvFile], findings: Findings) -> list[Attribution]:
    """Attribution files, ours first, since it holds what the others say and more."""
    files = sorted(
        found.of(Kind.ATTRIBUTION), key=lambda one: (one.path.name.lower() != ATTRIBUTION_FILE, one.name)
    )
    read = (attribution_of(one, tables[one.name], findings) for one in files)
    return [one for one in read if one is not None]


def _with_modalities(table: pa.Table, modalities: Mapping[str, str]) -> pa.Table:
    """Modalities by the folders of 2020, where no file gives any."""
    if not modalities or pc.any(pc.not_equal(table["modality"], "")).as_py():
        return table
    ids: Any = table["image_id"].combine_chunks()
    rows = pc.index_in(ids, pa.array(list(modalities), pa.string()))
    column = pa.array(list(modalities.values()), pa.string()).take(rows).fill_null("")
    return table.set_column(NAMES.index("modality"), "modality", column)


def release_layout(name: str) -> ReleaseLayout:
    """The layout of a release by its name: rocov2, or imageclef and a year."""
    return ReleaseLayout(EDITIONS[name])
