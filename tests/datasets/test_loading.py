from __future__ import annotations

import csv
from pathlib import Path

import pytest
from dataset_samples import sample

from radcap.core import InputError, UsageError
from radcap.datasets import LAYOUTS, Findings, load_dataset, open_dataset, save


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample().save(tmp_path / "some set", "folder")
    return tmp_path / "some set"


def test_a_folder_is_opened_by_what_is_in_it(folder: Path) -> None:
    data = load_dataset(folder)
    assert (data.layout, data.path, data.name) == ("folder", folder, "sample")
    assert (len(data), data.found) == (12, 12)
    assert set(data.ids) == set(sample().ids)
    assert load_dataset(str(folder)).ids == data.ids


def test_a_dataset_without_card_is_called_after_its_folder(folder: Path) -> None:
    (folder / "card.json").unlink()
    assert load_dataset(folder).name == "some set"


def test_one_split_counts_as_all_that_was_asked_for(folder: Path) -> None:
    data = load_dataset(folder, split="train")
    assert data.splits == ("train",)
    assert len(data) == data.found == 6
    with pytest.raises(UsageError, match="no split 'trian'"):
        load_dataset(folder, split="trian")


def test_a_selection_says_how_many_there_were(folder: Path) -> None:
    data = load_dataset(folder, concepts="automatic", min_concepts=1)
    assert all(one.concepts == ("C0817096",) for one in data)
    assert (len(data), data.found) == (6, 12)
    with pytest.raises(UsageError, match="choice of concepts"):
        load_dataset(folder, concepts="some")


def test_names_of_concepts_travel_along(folder: Path) -> None:
    assert load_dataset(folder).names["C0040405"] == "CT"


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("a.zip", b"PK\x03\x04rest", "DAT102", "a zip"),
        ("a.parquet", b"PAR1", "DAT102", "a Parquet file"),
        ("a.csv.gz", b"\x1f\x8b\x08", "DAT102", "a gzip file"),
        ("a.csv", b"ID,Caption\n", "DAT102", "a file"),
        ("empty", b"", "DAT102", "a file"),
    ],
)
def test_a_file_is_no_dataset_and_the_answer_says_what_to_do(
    tmp_path: Path, name: str, content: bytes, code: str, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        load_dataset(tmp_path / name)
    assert refused.value.issues[0].code == code
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["nowhere", "radiology-opne", "a" * 5000, "x\0y"])
def test_a_name_of_nothing_is_refused_and_what_is_inside_is_named(name: str) -> None:
    with pytest.raises(InputError) as refused:
        load_dataset(name)
    assert refused.value.issues[0].code == "DAT101"
    assert "radiology-open" in str(refused.value)


@pytest.mark.parametrize(
    ("files", "said"), [((), "nothing"), (tuple(f"{one}.xyz" for one in "abcdefghij"), "and 2 more")]
)
def test_a_folder_of_no_layout_is_refused_with_the_layouts_there_are(
    tmp_path: Path, files: tuple[str, ...], said: str
) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InputError) as refused:
        load_dataset(tmp_path)
    assert refused.value.issues[0].code == "DAT103"
    assert said in str(refused.value)
    assert all(layout in str(refused.value) for layout in LAYOUTS)


def test_errors_in_its_files_refuse_a_dataset(folder: Path) -> None:
    table = next(folder.rglob("metadata.csv"))
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with table.open("a", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(rows[1])
    with pytest.raises(InputError) as refused:
        load_dataset(folder)
    assert [one.code for one in refused.value.issues] == ["DAT201"]
    assert "cannot be opened" in str(refused.value)


def test_a_layout_can_be_named(folder: Path) -> None:
    assert open_dataset(folder, Findings(), "folder").layout == "folder"
    with pytest.raises(UsageError, match="no layout 'foldr'"):
        open_dataset(folder, Findings(), "foldr")


def test_a_dataset_two_folders_below_is_named(tmp_path: Path) -> None:
    save(sample(), tmp_path / "home" / "download" / "set")
    (tmp_path / "home" / "empty").mkdir()
    with pytest.raises(InputError, match="lies in its folder 'download/set'"):
        load_dataset(tmp_path / "home")


def test_folders_without_a_dataset_are_not_named(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(InputError, match="Known layouts: parquet"):
        load_dataset(tmp_path)
