"""Every edition written and read again: nothing may be lost."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dataset_samples import dataset_of, row, sample

from radcap.core import InputError
from radcap.datasets import load_dataset, save
from radcap.datasets.dataset import Dataset
from radcap.datasets.findings import Findings
from radcap.datasets.layouts import layout_named
from radcap.datasets.layouts.release.editions import EDITIONS
from radcap.datasets.saving import Payloads

if TYPE_CHECKING:
    from radcap.datasets.records import Record

every_edition = pytest.mark.parametrize("edition", list(EDITIONS))


def written(dataset: Dataset, folder: Path, edition: str) -> Path:
    layout_named(edition).write(dataset, folder, Payloads(dataset))
    return folder


def read(folder: Path, edition: str = "rocov2") -> tuple[Dataset, Findings]:
    findings = Findings()
    table, images = layout_named(edition).read(folder, findings)
    return Dataset("again", table, images), findings


def facts(record: Record) -> dict[str, Any]:
    said = {name: getattr(record, name) for name in record.__slots__ if name != "image"}
    there = record.image.key and record.image.store.has(record.image.key)
    return {**said, "bytes": record.image.bytes if there else None}


def same(one: Dataset, other: Dataset) -> bool:
    assert set(one.splits) == set(other.splits)
    for split in one.splits:
        pairs = zip(one.split(split), other.split(split), strict=True)
        for first, second in pairs:
            assert facts(first) == facts(second)
    return len(one) == len(other)


def texts(text: str, source: str = "original", language: str = "") -> list[dict[str, str]]:
    return [{"text": text, "source": source, "language": language}]


@every_edition
def test_a_dataset_with_every_field_comes_back_the_same(tmp_path: Path, edition: str):
    dataset = sample(24)
    saved = save(dataset, tmp_path / "saved", edition)
    again = load_dataset(tmp_path / "saved")
    assert (saved.images, saved.missing, again.findings) == (24, (), ())
    assert same(dataset, again)
    assert again.names == dataset.names


ODD = [
    texts("=SUM(A1)"),
    texts(" outer blanks "),
    texts('"'),
    texts("line\r\nbreaks\rof\nall kinds"),
    texts("a\tb|c;d,e"),
    texts("NA"),
    texts("nul\0inside"),
    texts("composed", "composed"),
    texts("zwei", "translated", "de"),
    [*texts("one"), *texts("two", "generated")],
    texts("\u202eright to left\u200b zero width e\u0301 \u00ad soft \ufeff mark"),
    texts(""),
    texts("ID,Caption"),
]


@every_edition
def test_captions_of_any_kind_come_back(tmp_path: Path, edition: str):
    dataset = dataset_of([row(f"odd_{i}", captions=captions) for i, captions in enumerate(ODD)])
    again, findings = read(written(dataset, tmp_path, edition), edition)
    assert not findings.errors
    assert same(dataset, again)


@every_edition
def test_concepts_of_any_kind_come_back(tmp_path: Path, edition: str):
    lists = [["C2", "C1", "C1"], ["c0040405"], [], [" C1 "], ["a;b", ""], ["tab\tand\nline"]]
    rows = [row(f"odd_{i}", cui=cui, cui_manual=cui[:1]) for i, cui in enumerate(lists)]
    dataset = dataset_of(rows)
    again, findings = read(written(dataset, tmp_path, edition), edition)
    assert not findings.errors
    assert same(dataset, again)


@every_edition
def test_splits_of_any_name_and_without_labels_come_back(tmp_path: Path, edition: str):
    splits = ["site/A", "test2", "Train", "train", "test", "", "valid"]
    rows = [
        row(f"img_{split.replace('/', '_')}_{i}", split, cui=["C1"] if split != "test" else [])
        for split in splits
        for i in (2, 1, 3)
    ]
    dataset = dataset_of(rows)
    again, findings = read(written(dataset, tmp_path, edition), edition)
    assert not findings.findings
    assert same(dataset, again)


@every_edition
def test_ids_that_are_no_file_names_come_back(tmp_path: Path, edition: str):
    ids = ["a.jpg", "../up", "b/c", "Case", "case", "con", "1.2.840", "50%", "x" * 300, "x", "x.png", "ä"]
    rows = [row(image_id, image=f"{i}.png", cui=["C1"]) for i, image_id in enumerate(ids)]
    dataset = dataset_of(rows)
    again, findings = read(written(dataset, tmp_path / "inside", edition), edition)
    assert not findings.errors
    assert same(dataset, again)
    assert [one.name for one in tmp_path.iterdir()] == ["inside"]


@every_edition
def test_further_columns_keep_their_names(tmp_path: Path, edition: str):
    names = {"Year": "2020", "year": "20", "PMCID": "PMC9", "license": "x", "link": "", "url": "http://x"}
    rows = [row("a", **names, captions="x"), row("b", **dict.fromkeys(names, ""), captions="y")]
    dataset = dataset_of(rows)
    again, _ = read(written(dataset, tmp_path, edition), edition)
    assert same(dataset, again)


@pytest.mark.parametrize("edition", ["rocov2", "imageclef-2025"])
def test_records_without_image_stay_records(tmp_path: Path, edition: str):
    dataset = dataset_of([row("a", image="", cui=["C1"]), row("b", cui=["C1"])])
    again, findings = read(written(dataset, tmp_path, edition))
    assert [facts(one)["bytes"] is None for one in again] == [True, False]
    assert not findings.findings


def test_bytes_that_are_no_image_are_written_as_they_are(tmp_path: Path):
    dataset = dataset_of([row("a", image="a.xyz", cui=["C1"])], {"a.xyz": b"what is this"})
    again, _ = read(written(dataset, tmp_path, "imageclef-2025"))
    assert again[0].image.bytes == b"what is this"


@pytest.mark.parametrize(
    ("image_id", "edition"),
    [
        ("a\tb", "imageclef-2018"),
        (" a", "rocov2"),
        ("", "rocov2"),
        ("a\0", "rocov2"),
        ("a\nb", "imageclef-2019"),
    ],
)
def test_an_id_that_could_not_be_read_back_is_refused(tmp_path: Path, image_id: str, edition: str):
    with pytest.raises(InputError, match="cannot be written"):
        written(dataset_of([row(image_id, image="x.png")]), tmp_path, edition)
    assert not list(tmp_path.iterdir())


def test_a_nul_in_a_column_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="Column group of a holds a NUL"):
        written(dataset_of([row("a", group="x\0")]), tmp_path, "rocov2")


FILES = {
    "rocov2": {
        "train_captions.csv",
        "train_concepts_manual.csv",
        "train_images.zip",
        "license_information.csv",
    },
    "imageclef-2017": {"ConceptDetectionTraining2017-Concepts.txt", "CaptionPredictionTraining2017"},
    "imageclef-2018": {"CaptionPredictionValidation2018-Captions.csv", "CaptionTest2018"},
    "imageclef-2019": {"val_concepts.csv", "validation-set", "training-set", "test-set"},
    "imageclef-2020": {"Training_Concepts.csv", "training"},
    "imageclef-2021": {"ImageCLEF2021_ConceptDetection_Training-Set"},
    "imageclef-2022": {"concept_detection_train.csv", "caption_prediction_valid.csv", "train"},
    "imageclef-2023": {"ImageCLEFmedical_Caption_2023_caption_prediction_valid_labels.csv", "valid"},
    "imageclef-2024": {"train_captions.csv", "valid_concepts_manual.csv", "test"},
}
STARTS = {
    "rocov2": ("train_concepts.csv", b"ID,CUIs\nSample_000000,C0024485\n"),
    "imageclef-2017": ("ConceptDetectionTraining2017-Concepts.txt", b"Sample_000000\tC0024485\n"),
    "imageclef-2021": (
        "ImageCLEF2021_ConceptDetection_Test-Set/Test_Set_Concepts.csv",
        b"Sample_000003,C0040405;C0817096\n",
    ),
    "imageclef-2022": ("concept_detection_train.csv", b"ID\tcuis\nSample_000000\tC0024485\n"),
}


@pytest.mark.parametrize("edition", FILES)
def test_files_are_called_as_the_edition_calls_them(tmp_path: Path, edition: str):
    written(sample(), tmp_path, edition)
    assert {one.name for one in tmp_path.iterdir()} >= FILES[edition]


@pytest.mark.parametrize("edition", STARTS)
def test_label_files_are_written_in_the_form_of_the_edition(tmp_path: Path, edition: str):
    written(sample(), tmp_path, edition)
    name, start = STARTS[edition]
    assert (tmp_path / name).read_bytes().startswith(start)


def test_2020_puts_images_into_folders_of_modalities(tmp_path: Path):
    rows = [row("a", modality="DRCT", cui=["C1"]), row("b", modality="other", cui=["C1"])]
    written(dataset_of(rows), tmp_path, "imageclef-2020")
    assert (tmp_path / "training/DRCT/a.png").is_file()
    assert (tmp_path / "training/b.png").is_file()


def test_the_zip_of_rocov2_is_the_same_whenever_it_is_made(tmp_path: Path):
    folders = [tmp_path / "one", tmp_path / "two"]
    made = [written(sample(), folder, "rocov2") / "train_images.zip" for folder in folders]
    assert made[0].read_bytes() == made[1].read_bytes()
    with zipfile.ZipFile(made[0]) as archive:
        info = archive.infolist()[0]
    assert (info.filename, info.compress_type) == ("train/Sample_000000.png", zipfile.ZIP_STORED)


def test_the_licence_file_of_rocov2_names_articles_only(tmp_path: Path):
    rows = [
        row("a", group="PMC12", attribution="A, B", link="http://x"),
        row("b", group="patient 7", link=""),
    ]
    written(dataset_of(rows), tmp_path, "rocov2")
    with (tmp_path / "license_information.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["ID", "PMCID", "Attribution", "Link"]
    assert lines[1:] == [["a", "PMC12", "A, B", "http://x"], ["b", "", "radcap tests", ""]]


def test_plain_captions_are_not_written_twice(tmp_path: Path):
    dataset = dataset_of([row("a", captions=texts("plain, with comma"), cui=["C1"])])
    written(dataset, tmp_path, "imageclef-2025")
    header = (tmp_path / "attribution.csv").read_text("utf-8").partition("\n")[0]
    assert header == "ID,split,group,source,licence,attribution,modality"


def test_an_empty_dataset_is_written_and_read(tmp_path: Path):
    dataset = dataset_of([row("a")]).filter([False])
    again, findings = read(written(dataset, tmp_path, "rocov2"))
    assert len(again) == 0
    assert not findings.errors
