"""No layout loses the source of a caption, and no file that names none mixes those of authors with others."""

from __future__ import annotations

import csv
import json
import tarfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dataset_round_trips import assert_same
from dataset_samples import dataset_of, row

from radcap.datasets import LAYOUTS, Dataset, Selection, load_dataset
from radcap.datasets.columns import CAPTIONS
from radcap.datasets.findings import Findings
from radcap.datasets.layouts.caption_sources import with_known_sources
from radcap.datasets.layouts.fields import captions_of
from radcap.datasets.records import CaptionSource

CAPTION_FILES = {  # of test, in the layouts that have them
    "rocov2": "test_captions.csv",
    "imageclef-2017": "CaptionPredictionTest2017-Captions.txt",
    "imageclef-2022": "caption_prediction_test.csv",
    "imageclef-2025": "test_captions.csv",
}


def text(words: str, source: str) -> dict[str, str]:
    return {"text": words, "source": source, "language": "en"}


def bundled_like() -> Dataset:
    """As the bundled data: every image has a composed caption, few have one of their author."""
    composed = [text(f"CT number {n}.", "composed") for n in range(6)]
    rows = [
        row("t0", "train", captions=[composed[0]], cui=["C0040405"]),
        row("t1", "train", captions=[composed[1]], cui=["C0040405"]),
        row("x0", "test", captions=[text("An author.", "original"), composed[2]], cui=["C0040405"]),
        row("x1", "test", captions=[composed[3]], cui=["C0040405"]),
        row("x2", "test", captions=[composed[4], text("Late author.", "original")], cui=["C0040405"]),
        row("x3", "test", captions=[], cui=["C0040405"]),
    ]
    return dataset_of(rows)


def saved(dataset: Dataset, folder: Path, layout: str) -> Dataset:
    dataset.save(folder, layout)
    found = load_dataset(folder)
    assert not found.findings
    return found


def cells(path: Path) -> dict[str, str]:
    """Ids and captions of a label file, whatever its separator."""
    content = path.read_text("utf-8")
    separator = "\t" if "\t" in content else ","
    return {line[0]: line[1] for line in csv.reader(content.splitlines(), delimiter=separator)}


def texts_of(path: Path) -> dict[str, str]:
    with tarfile.open(path) as tar:
        members = [one for one in tar.getmembers() if one.name.endswith(".txt")]
        return {one.name.removesuffix(".txt"): tar.extractfile(one).read().decode() for one in members}  # type: ignore[union-attr]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_captions_of_two_sources_come_back_as_they_were(layout: str, tmp_path: Path) -> None:
    assert_same(saved(bundled_like(), tmp_path / "out", layout), bundled_like())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_composed_captions_alone_come_back_as_composed(layout: str, tmp_path: Path) -> None:
    dataset = bundled_like().select(Selection(captions=CaptionSource.COMPOSED))
    found = saved(dataset, tmp_path / "out", layout)
    assert_same(found, dataset)
    assert {one.source for record in found for one in record.captions} == {CaptionSource.COMPOSED}


@pytest.mark.parametrize("layout", CAPTION_FILES)
def test_a_caption_file_holds_originals_where_there_are_two_sources(layout: str, tmp_path: Path) -> None:
    bundled_like().save(tmp_path / "out", layout)
    found = cells(tmp_path / "out" / CAPTION_FILES[layout])
    assert {one: found[one] for one in ("x0", "x1", "x2", "x3")} == {
        "x0": "An author.",
        "x1": "",
        "x2": "Late author.",
        "x3": "",
    }
    files = [one.name for one in (tmp_path / "out").iterdir() if one.is_file()]
    assert [one for one in files if "caption" in one.lower()] == [CAPTION_FILES[layout]]  # none of train


@pytest.mark.parametrize("layout", CAPTION_FILES)
def test_a_caption_file_holds_the_only_source_there_is(layout: str, tmp_path: Path) -> None:
    bundled_like().select(Selection(captions=CaptionSource.COMPOSED)).save(tmp_path / "out", layout)
    found = cells(tmp_path / "out" / CAPTION_FILES[layout])
    assert found["x0"] == "CT number 2."


def test_several_sources_without_originals_stay_out_of_the_caption_files(tmp_path: Path) -> None:
    dataset = dataset_of([row("a", captions=[text("G", "generated"), text("C", "composed")], cui=["C1"])])
    assert_same(saved(dataset, tmp_path / "out", "rocov2"), dataset)
    assert not list((tmp_path / "out").glob("*captions.csv"))


def test_the_text_member_of_a_sample_is_of_one_source(tmp_path: Path) -> None:
    bundled_like().save(tmp_path / "both", "webdataset")
    assert texts_of(tmp_path / "both" / "test-000000.tar") == {
        "x0": "An author.",
        "x1": "",
        "x2": "Late author.",
        "x3": "",
    }
    bundled_like().select(Selection(captions=CaptionSource.COMPOSED)).save(tmp_path / "one", "webdataset")
    assert texts_of(tmp_path / "one" / "test-000000.tar")["x0"] == "CT number 2."


@pytest.mark.parametrize(
    ("layout", "plain", "whole"),
    [
        ("rocov2", "caption files", "`attribution.csv`"),
        ("imageclef-2025", "caption files", "`attribution.csv`"),
        ("webdataset", "`.txt` members", "the `.json` members"),
    ],
)
def test_the_card_tells_whose_captions_stand_unmarked(
    layout: str, plain: str, whole: str, tmp_path: Path
) -> None:
    bundled_like().save(tmp_path / "both", layout)
    readme = (tmp_path / "both" / "README.md").read_text("utf-8")
    said = f"The {plain} hold the original captions only. Every caption stands with its source in {whole}."
    assert said in readme
    assert "| test | 4 | 2 | 3 | 4 | 1 | 4 |" in readme
    originals = bundled_like().select(Selection(captions=CaptionSource.ORIGINAL))
    originals.save(tmp_path / "originals", layout)
    assert "captions only" not in (tmp_path / "originals" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("layout", ["parquet", "hf", "folder", "imageclef-2019"])
def test_where_every_caption_has_its_source_beside_it_nothing_is_told(layout: str, tmp_path: Path) -> None:
    bundled_like().save(tmp_path / "both", layout)
    assert "captions only" not in (tmp_path / "both" / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ({"caption": "CT", "caption_source": "composed"}, ["composed"]),
        ({"captions": ["CT", "MRI"], "caption_source": "composed"}, ["composed", "composed"]),
        ({"captions": [{"text": "CT", "source": "original"}, "MRI"], "caption_source": "generated"},
         ["original", "generated"]),
        ({"captions": ["CT", "MRI"]}, ["", ""]),
    ],
)  # fmt: skip
def test_a_caption_without_a_source_has_that_of_its_row(given: dict[str, Any], sources: list[str]) -> None:
    assert [one["source"] for one in captions_of(given)] == sources


@pytest.mark.parametrize("spelled", ["Composed", "COMPOSED", " composed "])
def test_a_source_is_known_however_it_is_written(spelled: str) -> None:
    findings = Findings()
    column = pa.array([[text("CT", spelled)], [text("MRI", "original")]], CAPTIONS)
    found = with_known_sources(column, "file", findings).to_pylist()
    assert [cell[0]["source"] for cell in found] == ["composed", "original"]
    assert not findings.findings


def test_a_parquet_file_whose_captions_lack_a_source_takes_that_of_the_row(tmp_path: Path) -> None:
    table = pa.table(
        {
            "image_id": ["a", "b"],
            "captions": pa.array([[text("CT", "")], [text("MRI", "original")]], CAPTIONS),
            "caption_source": ["composed", "composed"],
        }
    )
    pq.write_table(table, tmp_path / "test-00000-of-00001.parquet")
    found = load_dataset(tmp_path)
    assert [record.captions[0].source.value for record in found] == ["composed", "original"]


def test_attribution_holds_both_captions_as_json(tmp_path: Path) -> None:
    bundled_like().save(tmp_path / "out", "rocov2")
    with (tmp_path / "out" / "attribution.csv").open(encoding="utf-8", newline="") as file:
        rows = {line["ID"]: line["captions"] for line in csv.DictReader(file)}
    assert [one["source"] for one in json.loads(rows["x0"])] == ["original", "composed"]
