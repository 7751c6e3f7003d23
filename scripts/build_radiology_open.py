"""Builds the dataset that ships inside radcap, `src/radcap/data/radiology_open`.

Takes a folder with `{train,valid,test}.tar` of JPEG images, `concepts.csv`, `concepts_manual.csv`,
`captions.csv`, `cui_mapping.csv`, `attribution.csv` and `qa_pairs.csv`, and writes Parquet shards with
compact images, the card (its words stand in radiology_open.toml) and ATTRIBUTION.csv. Every image gets a
caption that is composed from answers or labels, behind its original one where it has one. The same folder
gives the same bytes.

    python scripts/build_radiology_open.py FOLDER [OUT]
"""

from __future__ import annotations

import csv
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from radiology_open.composing import composed, read_pairs

from radcap.datasets import SPLITS, CaptionSource, Card, Dataset, load_dataset, save
from radcap.datasets.columns import CAPTIONS, NAMES
from radcap.datasets.images import Coding

OUT = Path(__file__).parent.parent / "src/radcap/data/radiology_open"
CODING = Coding("webp", quality=75, size=256)
ATTRIBUTION = "ATTRIBUTION.csv"
QUESTIONS = "qa_pairs.csv"
COMPOSED = CaptionSource.COMPOSED.value
_LINE, _CAPTIONS = NAMES.index("attribution"), NAMES.index("captions")
COLUMNS = ("split", "source", "licence", "attribution", "licence_evidence", "source_repo", "source_path")

CARD = Card.from_json(tomllib.loads((Path(__file__).parent / "radiology_open.toml").read_text("utf-8")))


def main(folder: Path, out: Path) -> None:
    dataset = _captioned(_tidied(load_dataset(folder)), folder / QUESTIONS)
    if out.exists():
        shutil.rmtree(out)
    saved = save(_bundled(dataset), out, "parquet", coding=CODING)
    _write_attribution(dataset, out / ATTRIBUTION)
    size = sum(file.stat().st_size for file in out.iterdir())
    print(f"{saved.path}: {saved.records:,} records, {saved.images:,} images, {size / 1e6:.1f} MB")


def _tidied(dataset: Dataset) -> Dataset:
    """In the order of splits and ids, author lines without the blanks at their ends."""
    table = dataset.table.set_column(
        _LINE, "attribution", pc.utf8_trim_whitespace(dataset.column("attribution"))
    )
    splits, ids = dataset.column("split").to_pylist(), dataset.ids
    order = sorted(range(len(dataset)), key=lambda place: (SPLITS.index(splits[place]), ids[place]))
    return replace(dataset, table=table.take(order))


def _captioned(dataset: Dataset, questions: Path) -> Dataset:
    """With a composed caption for each image, behind the original ones, which are English too."""
    pairs = read_pairs(questions)
    known = ["image_id", "captions", "cui", "modality", "source", "source_path"]
    captions = [
        [
            *({**one, "language": "en"} for one in row["captions"]),
            {"text": composed(row, pairs.get(row["image_id"], ())), "source": COMPOSED, "language": "en"},
        ]
        for row in dataset.table.select(known).to_pylist()
    ]
    table = dataset.table.set_column(_CAPTIONS, "captions", pa.array(captions, CAPTIONS))
    return replace(dataset, table=table)


def _bundled(dataset: Dataset) -> Dataset:
    """The dataset under its card; where images come from in detail stands in ATTRIBUTION.csv alone."""
    table = dataset.table.select([*NAMES])
    return replace(dataset, name=CARD.name, card=CARD, table=table)


def _write_attribution(dataset: Dataset, path: Path) -> None:
    """One line for each image: where it comes from, under which licence, whom to name."""
    rows = dataset.table.select(["image_id", *COLUMNS]).to_pylist()
    with path.open("w", encoding="utf-8", newline="") as file:
        names: list[str] = ["image_id", *COLUMNS]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["image_id"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else OUT)
