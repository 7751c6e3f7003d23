"""The dataset that ships inside: what the card says is what is there."""

from __future__ import annotations

import csv
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import radcap
from radcap.core.cui_sets import DIRECTIONS, MODALITIES, REGIONS
from radcap.datasets import CaptionSource, Dataset

FOLDER = Path(str(files("radcap.data").joinpath("radiology_open")))
MEBI = 1_000_000


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return radcap.load_dataset("radiology-open")


def test_it_has_the_images_of_the_card(dataset: Dataset) -> None:
    counts = {name: len(dataset.split(name)) for name in dataset.splits}
    assert counts == {"train": 4003, "valid": 556, "test": 695}
    assert dict(dataset.card.counts) == counts


def test_every_image_is_a_small_webp(dataset: Dataset) -> None:
    for place in range(0, len(dataset), 97):
        picture = dataset[place].image.load()
        assert max(picture.size) <= 256
        assert dataset[place].image.bytes[8:12] == b"WEBP"


def test_shards_keep_to_the_budget() -> None:
    sizes = [file.stat().st_size for file in FOLDER.glob("*.parquet")]
    assert max(sizes) <= 10 * MEBI
    assert 22 * MEBI <= sum(sizes) <= 26 * MEBI


def test_every_image_is_attributed(dataset: Dataset) -> None:
    with (FOLDER / "ATTRIBUTION.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["image_id"]: row for row in csv.DictReader(file)}
    assert list(rows) == sorted(dataset.ids)
    for record in dataset:
        row = rows[record.id]
        assert (record.source, record.licence, record.attribution) == (
            row["source"],
            row["licence"],
            row["attribution"],
        )
        assert all((record.source, record.licence, record.attribution, row["licence_evidence"]))


def test_no_licence_forbids_changed_copies(dataset: Dataset) -> None:
    licences = Counter(record.licence for record in dataset)
    assert not [name for name in licences if "ND" in name]
    assert sum(n for name, n in licences.items() if "NC" in name or "SA" in name) == 291
    assert dict(dataset.card.licences) == dict(licences)


def test_captions_are_original_or_composed_and_said_to_be(dataset: Dataset) -> None:
    sources = Counter((record.split, *(one.source for one in record.captions)) for record in dataset)
    assert sources == {
        ("train", CaptionSource.ORIGINAL, CaptionSource.COMPOSED): 207,
        ("valid", CaptionSource.ORIGINAL, CaptionSource.COMPOSED): 33,
        ("test", CaptionSource.ORIGINAL, CaptionSource.COMPOSED): 25,
        ("train", CaptionSource.COMPOSED): 3796,
        ("valid", CaptionSource.COMPOSED): 523,
        ("test", CaptionSource.COMPOSED): 670,
    }
    assert {one.language for record in dataset for one in record.captions} == {"en"}


def test_the_first_caption_stands_in_the_column_of_its_own() -> None:
    columns = ["caption", "caption_source", "captions"]
    rows = [
        row for file in FOLDER.glob("*.parquet") for row in pq.read_table(file, columns=columns).to_pylist()
    ]
    assert [(row["caption"], row["caption_source"]) for row in rows] == [
        (row["captions"][0]["text"], row["captions"][0]["source"]) for row in rows
    ]
    assert Counter(row["caption_source"] for row in rows) == {"original": 265, "composed": 4989}


def test_no_group_is_in_two_splits(dataset: Dataset) -> None:
    where: dict[str, set[str]] = {}
    for record in dataset:
        where.setdefault(record.group, set()).add(record.split)
    assert len(where) == 2944
    assert all(len(splits) == 1 for splits in where.values())


def test_concepts_have_names_and_are_learnable(dataset: Dataset) -> None:
    seen = {cui for record in dataset for cui in record.concepts}
    assert len(seen) == 258
    assert seen <= set(dataset.names)
    assert seen == {cui for record in dataset.split("train") for cui in record.concepts}


def test_manual_concepts_are_modality_region_and_direction(dataset: Dataset) -> None:
    scintigraphy = "C0034606"
    known = {*MODALITIES, *REGIONS, *DIRECTIONS, scintigraphy}
    assert {cui for record in dataset for cui in record.manual} <= known
    counts = Counter(cui for record in dataset for cui in record.manual)
    assert counts["C1306645"] == 1595
    assert counts["C0024485"] == 1566
    assert counts["C0040405"] == 1317


def test_selection_leaves_out_what_is_not_wanted() -> None:
    manual = radcap.load_dataset("radiology-open", split="test", concepts="manual", direction=False)
    assert all(set(record.concepts) == set(record.manual) for record in manual)
    assert not {cui for record in manual for cui in record.concepts} & set(DIRECTIONS)
    rich = radcap.load_dataset("radiology-open", min_concepts=4)
    assert min(len(record.concepts) for record in rich) == 4
    assert rich.found == 5254


def test_the_card_says_what_it_is_not_for() -> None:
    card = json.loads((FOLDER / "card.json").read_text("utf-8"))
    assert "clinical" in card["not_for"]
    assert len(card["limitations"]) >= 6
