"""What is written in a layout is read back the same."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from dataset_round_trips import assert_same, round_trip, tables
from dataset_samples import dataset_of, row, sample
from hypothesis import given, settings

from radcap.core import UsageError
from radcap.datasets import Dataset

LAYOUTS = ("parquet", "hf", "folder", "webdataset")
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
ODD_IDS = (
    *(
        "a/b",
        "../up",
        "..",
        ".hidden",
        "UPPER",
        "upper",
        "con",
        "metadata",
        "x" * 300,
        "dot.in.id",
        "ä ö",
        "日本",
    ),
    *(
        "-dash",
        "tab\tid",
        "line\nid",
        "q'\"",
        "tail.",
        "tail ",
        "a;b",
        "1",
        "01",
        "C:\\x",
        "a\u0301",
        "á",
        "%2F",
    ),
)


@every_layout
def test_every_field_and_every_byte_comes_back(layout: str, tmp_path: Path):
    assert_same(round_trip(sample(40), tmp_path / "out", layout), sample(40))


@every_layout
def test_names_of_concepts_and_the_card_come_back(layout: str, tmp_path: Path):
    dataset = sample()
    dataset = replace(dataset, card=replace(dataset.card, title="A title", limitations=("Small.",)))
    found = round_trip(dataset, tmp_path / "out", layout)
    assert found.names == dataset.names
    assert (found.name, found.card.title, found.card.limitations) == ("sample", "A title", ("Small.",))
    assert found.card.counts == {"train": 6, "valid": 3, "test": 3}


@every_layout
def test_a_dataset_without_records_is_a_dataset(layout: str, tmp_path: Path):
    found = round_trip(dataset_of([]), tmp_path / "out", layout)
    assert len(found) == 0
    assert found.splits == ()


@every_layout
def test_records_without_image_or_labels_stay_records(layout: str, tmp_path: Path):
    rows = [row("bare", image=""), row("gone", image="gone.png"), row("whole", captions="CT")]
    dataset = dataset_of(rows, {"whole.png": b"\x89PNG\r\n\x1a\n"})
    saved = dataset.save(tmp_path / "out", layout)
    assert saved.missing == ("bare", "gone")
    assert (saved.records, saved.images) == (3, 1)
    assert_same(round_trip(dataset, tmp_path / "again", layout), dataset)


@every_layout
def test_ids_of_any_kind_are_kept(layout: str, tmp_path: Path):
    dataset = dataset_of([row(image_id, image=f"{n}.png") for n, image_id in enumerate(ODD_IDS)])
    assert_same(round_trip(dataset, tmp_path / "out", layout), dataset)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert all(len(path.name) < 240 and path.name.isascii() for path in written)
    assert len({str(path).casefold() for path in written}) == len(written)


@every_layout
def test_splits_of_any_name_are_kept(layout: str, tmp_path: Path):
    names = ("", "train", "Train", "../x", "extra", "a/b", "validation")
    dataset = dataset_of([row(f"r{n}", split) for n, split in enumerate(names)])
    assert_same(round_trip(dataset, tmp_path / "out", layout), dataset)


@every_layout
def test_equal_datasets_give_equal_bytes(layout: str, tmp_path: Path):
    for name in ("one", "two"):
        sample().save(tmp_path / name, layout)
    files = sorted(
        path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()
    )
    assert files
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


@every_layout
def test_a_further_column_with_a_name_of_ours_is_refused(layout: str, tmp_path: Path):
    with pytest.raises(UsageError, match=r"further columns named 'caption', 'file_name'\. Files use"):
        dataset_of([row("a", caption="x", file_name="y", id="z")]).save(tmp_path / "out", layout)
    assert not list(tmp_path.iterdir())


@every_layout
@settings(max_examples=25, deadline=None)
@given(dataset=tables())
def test_any_text_comes_back(layout: str, dataset: Dataset):
    with tempfile.TemporaryDirectory() as folder:
        assert_same(round_trip(dataset, Path(folder) / "out", layout), dataset)
