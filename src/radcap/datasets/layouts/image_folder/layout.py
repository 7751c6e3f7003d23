"""Images in folders, with or without a `metadata.csv` beside them, as Hugging Face reads them.

Invariant: a row names its image by a path from the folder of its table; an id that is no safe file name is
kept in the table and its file gets another name.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from radcap.datasets.columns import NAMES, empty_table, make_table
from radcap.datasets.layouts.caption_sources import with_known_sources
from radcap.datasets.layouts.fields import check_names, further, joined
from radcap.datasets.layouts.image_folder.folder_names import files_in, folders_in
from radcap.datasets.layouts.image_folder.metadata_files import METADATA_FILES, csv_line, read_metadata
from radcap.datasets.layouts.repeats import check_ids
from radcap.datasets.layouts.safe_names import UNNAMED, FileNames
from radcap.datasets.layouts.split_names import folder_split, is_split, tells_split
from radcap.datasets.layouts.split_rows import rows_of
from radcap.datasets.layouts.tables import stacked
from radcap.datasets.stores.file_names import is_image, stem_of
from radcap.datasets.stores.folder import FolderImages, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.findings import Findings
    from radcap.datasets.saving import Payload, Payloads
    from radcap.datasets.stores import ImageStore

__all__ = ["ImageFolder", "layout"]

_COLUMNS = ("file_name", "image_id", "split", "caption", "caption_source", "captions", *NAMES[4:])
_READ_ME = ("readme", "license", "licence", "attribution")
_TABLES = {".csv", ".tsv", ".txt", ".json", ".jsonl", ".zip", ".tar", ".parquet"}


class ImageFolder:
    """`{split}/metadata.csv` and `{split}/{id}.png`; a plain folder of images is one too."""

    def recognises(self, folder: Path) -> bool:
        return bool(_metadata(folder)) or _is_plain(folder)

    def read(self, folder: Path, findings: Findings) -> tuple[pa.Table, ImageStore]:
        files = _metadata(folder)
        table = _with_metadata(folder, files, findings) if files else _without(folder, findings)
        return table, FolderImages(folder)

    def write(self, dataset: Dataset, folder: Path, payloads: Payloads) -> None:
        check_names(dataset.table)
        for split, name in FileNames.of(dataset.splits or ("train",)).items():
            (folder / name).mkdir()
            with (folder / name / METADATA_FILES[0]).open("w", encoding="utf-8", newline="") as table:
                table.write(csv_line((*_COLUMNS, *further(dataset.table))))
                table.writelines(_lines(dataset, folder / name, rows_of(dataset, split, payloads)))


def layout() -> ImageFolder:
    """What the registry of layouts makes."""
    return ImageFolder()


def _metadata(folder: Path) -> list[Path]:
    """The tables at the top, or those of the folders inside."""
    places = (folder, *folders_in(folder))
    return [place / name for place in places for name in files_in(place) if name.lower() in METADATA_FILES]


def _is_plain(folder: Path) -> bool:
    """Whether there are images and no tables that could belong to them, here or one folder down."""
    names = files_in(folder)
    if any(map(_is_table, names)):
        return False
    names += (name for one in folders_in(folder) for name in files_in(one))
    return any(map(is_image, names)) and not any(map(_is_table, names))


def _is_table(name: str) -> bool:
    path = PurePosixPath(name.lower())
    return path.suffix in _TABLES and not path.stem.startswith(_READ_ME) and name != "card.json"


def _with_metadata(folder: Path, files: list[Path], findings: Findings) -> pa.Table:
    tables: list[pa.Table] = []
    places: list[tuple[str, int]] = []
    for path in files:
        file = path.relative_to(folder).as_posix()
        columns = read_metadata(path, file, findings)
        if columns is not None:
            tables.append(_table(columns, file, findings))
            places += ((file, row) for row in range(1, tables[-1].num_rows + 1))
    table = stacked(tables) if tables else empty_table()
    check_ids(table["image_id"], places.__getitem__, findings)
    return table


def _table(columns: dict[str, Any], file: str, findings: Findings) -> pa.Table:
    """The rows of one metadata file."""
    base = PurePosixPath(file).parent
    names: list[str] = _listed(columns.pop("file_name"))
    keys = [str(base / name) if name else "" for name in names]
    columns["image"] = pa.array(keys, pa.string())
    told = _listed(columns.get("split", [""] * len(keys)))
    if base.name != UNNAMED:
        told = [one or folder_split(key or file) for one, key in zip(told, keys, strict=True)]
    columns["split"] = pa.array(told, pa.string())
    if "image_id" not in columns:
        columns["image_id"] = pa.array([stem_of(PurePosixPath(name).name) for name in names], pa.string())
    table = make_table(columns, len(keys))
    captions = with_known_sources(table["captions"], file, findings)
    return table.set_column(NAMES.index("captions"), "captions", captions)


def _listed(column: Any) -> list[str]:
    return column.to_pylist() if isinstance(column, pa.Array) else column


def _without(folder: Path, findings: Findings) -> pa.Table:
    """Images alone: the id is the name of the file, the split that of the folder."""
    keys = [str(place / name) for place, names in walk(folder) for name in names if is_image(name)]
    ids = pa.array([stem_of(PurePosixPath(key).name) for key in keys], pa.string())
    name = folder.resolve().name  # the folder `test` of a release holds no other split
    own = tells_split(name) if is_split(name) else "train"
    splits = [folder_split(key, own) for key in keys]
    check_ids(ids, lambda row: (keys[row], 0), findings)
    return make_table({"image_id": ids, "split": splits, "image": keys}, len(keys))


def _lines(
    dataset: Dataset, folder: Path, rows: Iterable[tuple[Mapping[str, Any], Payload]]
) -> Iterator[str]:
    """The lines of a table, each after its image is written."""
    names = FileNames()
    for row, payload in rows:
        name = ""
        if payload.data is not None:
            name = f"{names.give(payload.id)}{payload.ending}"
            (folder / name).write_bytes(payload.data)
        yield csv_line((name, *_cells(row), *(row[one] for one in further(dataset.table))))


def _cells(row: Mapping[str, Any]) -> Iterator[str]:
    captions = row["captions"]
    first = captions[0] if captions else {"text": "", "source": "", "language": ""}
    whole = not captions or (len(captions) == 1 and first["text"] and not first["language"])
    yield row["image_id"]
    yield row["split"]
    yield first["text"]
    yield first["source"]
    yield "" if whole else json.dumps(captions, ensure_ascii=False)
    for name in NAMES[4:]:
        yield joined(row[name]) if name in {"cui", "cui_manual"} else row[name]
