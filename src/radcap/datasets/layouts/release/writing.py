"""Write a release in the files of an edition.

Invariant: label files hold what the edition's own could; `attribution.csv` holds what they do not give back
exactly, so that reading the folder gives the same records in the same order. A caption file names no sources,
so it holds captions of one source only.
"""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

from radcap.core import InputError
from radcap.datasets.caption_parts import unmarked_source
from radcap.datasets.columns import NAMES
from radcap.datasets.layouts.release.attribution_file import ATTRIBUTION_FILE, LICENCE_FILE
from radcap.datasets.layouts.release.images import MODALITIES
from radcap.datasets.layouts.release.names import LABELS, Kind
from radcap.datasets.stores.file_names import cased_name, image_ending, safe_name
from radcap.datasets.text_tables.writing import Form, write_csv
from radcap.formats import named, replacing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.layouts.release.editions import Edition
    from radcap.datasets.saving import Payload, Payloads

__all__ = ["write_release"]

_Row = dict[str, Any]
_COLUMNS: Mapping[Kind, str] = {Kind.CAPTIONS: "captions", Kind.CONCEPTS: "cui", Kind.MANUAL: "cui_manual"}
_KEPT = ("split", "group", "source", "licence", "attribution", "modality")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date a zip can hold


def write_release(dataset: Dataset, folder: Path, payloads: Payloads, edition: Edition) -> None:
    """Labels, attribution and images of every split."""
    rows = dataset.table.to_pylist()
    _check(rows, edition)
    source = unmarked_source(dataset.column("captions"))
    written = _write_labels(rows, folder, edition, source)
    _write_attribution(rows, dataset.table.column_names, folder, edition, written)
    if edition.licence_file:
        _write_licences(rows, folder)
    for split in dataset.splits:
        _write_images(payloads.of(split), split, rows, folder, edition)


def _check(rows: Sequence[_Row], edition: Edition) -> None:
    """Refuse what no text table can hold, before anything is written."""
    for row in rows:
        image_id = row["image_id"]
        if not image_id.strip() or image_id != image_id.strip() or not edition.form.fits(image_id):
            raise InputError(
                f"The id {named(image_id)} cannot be written in the layout {edition.name}. Its label files "
                "would not give it back. Rename the image, or choose the layout parquet."
            )
        odd = next((name for name, cell in row.items() if isinstance(cell, str) and "\0" in cell), None)
        if odd is not None:
            raise InputError(
                f"Column {odd} of {named(image_id)} holds a NUL. No text table holds one. Remove it, or "
                "choose the layout parquet."
            )


def _write_labels(rows: Sequence[_Row], folder: Path, edition: Edition, source: str) -> set[tuple[Kind, str]]:
    """The label files; gives back which kinds were written for which split."""
    files: dict[tuple[str, Kind], list[_Row]] = {}
    for kind in LABELS:
        splits = {row["split"] for row in rows if edition.has(kind) and _values(kind, row, source)}
        for row in rows:
            if row["split"] in splits:
                files.setdefault((edition.file(kind, row["split"]), kind), []).append(row)
    for (name, kind), kept in files.items():
        header = [edition.headers[kind]] if kind in edition.headers else []
        cells = ((row["image_id"], _cell(kind, _values(kind, row, source))) for row in kept)
        write_csv(folder / name, [*header, *cells], edition.form)
    return {(kind, row["split"]) for (_, kind), kept in files.items() for row in kept}


def _values(kind: Kind, row: _Row, source: str) -> list[Any]:
    """What a label file takes of a record: all concepts, but captions of one source only."""
    values = row[_COLUMNS[kind]]
    return values if kind is not Kind.CAPTIONS else [one for one in values if one["source"] == source]


def _cell(kind: Kind, values: Sequence[Any]) -> str:
    if kind is Kind.CAPTIONS:
        return values[0]["text"] if values else ""
    return ";".join(values)


def _reproduced(kind: Kind, row: _Row, form: Form) -> bool:
    """Whether the label file gives the captions or concepts back exactly."""
    values = row[_COLUMNS[kind]]
    cell = _cell(kind, values)
    if kind is Kind.CAPTIONS:
        plain = [{"text": cell, "source": "original", "language": ""}] if cell else []
        return values == plain and form.fits(cell)
    parts = [part.strip() for part in cell.split(";")]
    return form.fits(cell) and [part for part in parts if part] == values


def _write_attribution(
    rows: Sequence[_Row],
    names: Sequence[str],
    folder: Path,
    edition: Edition,
    written: set[tuple[Kind, str]],
) -> None:
    exact = [{kind: _exact(kind, row, edition, written) for kind in LABELS} for row in rows]
    kinds = [kind for kind in LABELS if any(one[kind] for one in exact)]
    further = names[len(NAMES) :]
    header = ("ID", *_KEPT, *(_COLUMNS[kind] for kind in kinds), *further)
    lines: Iterator[tuple[str, ...]] = (
        (
            row["image_id"],
            *(row[name] for name in _KEPT),
            *(one[kind] for kind in kinds),
            *(row[name] for name in further),
        )
        for row, one in zip(rows, exact, strict=True)
    )
    write_csv(folder / ATTRIBUTION_FILE, [header, *lines], Form())


def _exact(kind: Kind, row: _Row, edition: Edition, written: set[tuple[Kind, str]]) -> str:
    values = row[_COLUMNS[kind]]
    there = (kind, row["split"]) in written
    if _reproduced(kind, row, edition.form) if there else not values:
        return ""
    return json.dumps(values, ensure_ascii=False)


def _write_licences(rows: Sequence[_Row], folder: Path) -> None:
    """The file of ROCOv2; articles only, since a group may be a patient."""
    header = ("ID", "PMCID", "Attribution", "Link")
    lines = (
        (
            row["image_id"],
            row["group"] if row["group"].startswith("PMC") else "",
            row["attribution"],
            row.get("link", ""),
        )
        for row in rows
    )
    write_csv(folder / LICENCE_FILE, [header, *lines], Form())


def _write_images(
    payloads: Iterator[Payload], split: str, rows: Sequence[_Row], folder: Path, edition: Edition
) -> None:
    words = edition.image_words or edition.words
    zipped = edition.images.endswith(".zip")
    if split in words:
        name = edition.images.format(split=words[split])
    else:
        name = (safe_name(split) if split else "images") + (
            "_images.zip" if zipped and split else ".zip" * zipped
        )
    if zipped:
        inner = name.removesuffix(".zip").removesuffix("_images")
        _write_zip(folder / name, payloads, inner)
        return
    given: set[str] = set()
    for one in payloads:
        if one.data is not None:
            modality = rows[one.place]["modality"] if edition.modality_folders else ""
            place = folder / name / modality if modality in MODALITIES else folder / name
            place.mkdir(parents=True, exist_ok=True)
            (place / _file_name(one, given)).write_bytes(one.data)


def _write_zip(path: Path, payloads: Iterator[Payload], inner: str) -> None:
    """Images as they are, in a zip that is the same whenever it is made."""
    given: set[str] = set()
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for one in payloads:
            if one.data is not None:
                member = zipfile.ZipInfo(f"{inner}/{_file_name(one, given)}", _EPOCH)
                member.external_attr = 0o644 << 16
                archive.writestr(member, one.data)


def _file_name(one: Payload, given: set[str]) -> str:
    """The id with its ending; another name where a disk that ignores case would take it for one `given`."""
    ending = one.ending if image_ending(one.ending) else ".bin"
    name = safe_name(one.id)
    name = name if name.lower().endswith(ending) else name + ending
    if name.casefold() in given:
        name = cased_name(one.id) + ending
    given.add(name.casefold())
    return name
