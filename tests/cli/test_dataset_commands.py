"""`radcap dataset`: what each command prints, writes and answers, on small folders and the dataset inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from dataset_samples import dataset_of, noise, png, row, sample

from radcap.datasets import LAYOUTS, load_dataset, save

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

    from radcap.datasets import Dataset


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save(sample(), tmp_path / "data").path


def test_info_tells_layout_splits_and_licences(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "info", folder)
    assert done.code == 0
    for word in ("parquet", "train", "valid", "test", "CC BY-NC 4.0"):
        assert word in done.out
    assert "12 records read" in done.err


def test_info_as_json_counts_what_is_there(radcap: Command, folder: Path) -> None:
    found = json.loads(radcap("dataset", "info", folder, "--json").out)
    assert (found["found"], found["kept"], found["total"]["images"]) == (12, 12, 12)
    assert [one["name"] for one in found["splits"]] == ["train", "valid", "test"]


def test_counts_before_and_after_are_printed(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "info", folder, "--min-concepts", "2", "--json")
    assert "12 records read, 6 kept" in done.err
    assert json.loads(done.out)["kept"] == 6


def test_an_unknown_split_is_refused_with_the_choice(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "info", folder, "--split", "trian")
    assert done.code == 2
    assert "Nearest is 'train'" in done.err


def test_an_unknown_choice_of_concepts_is_refused(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "info", folder, "--concepts", "manuel")
    assert done.code == 2
    assert "'manual'" in done.err


def test_nothing_at_the_path(radcap: Command, tmp_path: Path) -> None:
    done = radcap("dataset", "info", tmp_path / "absent")
    assert done.code == 1
    assert "radiology-open" in done.err


def test_a_zip_is_no_folder(radcap: Command, tmp_path: Path) -> None:
    (tmp_path / "roco.zip").write_bytes(b"PK\x03\x04 and more")
    done = radcap("dataset", "info", tmp_path / "roco.zip")
    assert done.code == 1
    assert "is a zip" in done.err
    assert "Unpack it" in done.err


def test_every_fault_of_a_folder_is_printed(radcap: Command, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "train_captions.csv").write_text("ID,Caption\na,x\na,y\nb,z\nb,w\n", "utf-8")
    done = radcap("dataset", "stats", data)
    assert done.code == 1
    assert done.out.count("DAT201") == 2
    assert "Nothing was done" in done.err


def test_check_of_a_clean_folder_ends_with_0(radcap: Command, tmp_path: Path) -> None:
    rows = [
        row(f"im{place}", split, captions="A caption.", cui=["C0040405"], cui_manual=["C0040405"])
        for place, split in enumerate(("train", "valid", "test"))
    ]
    clean = save(dataset_of(rows), tmp_path / "clean").path
    done = radcap("dataset", "check", clean, "--workers", "1")
    assert (done.code, done.out) == (0, "")
    assert "no problem" in done.err


def test_check_of_a_leaky_folder_ends_with_1(radcap: Command, tmp_path: Path) -> None:
    same = png(noise(1))
    rows = [row("a", "train", group="g"), row("b", "test", group="g")]
    data = save(dataset_of(rows, {"a.png": same, "b.png": same}), tmp_path / "leaky").path
    done = radcap("dataset", "check", data, "--workers", "1")
    assert done.code == 1
    assert "DAT403" in done.out
    assert "DAT405" in done.out


def test_check_as_json(radcap: Command, folder: Path) -> None:
    found = json.loads(radcap("dataset", "check", folder, "--no-pixels", "--json").out)
    assert found["records"] == 12
    assert {one["code"] for one in found["issues"]} <= set(found["counts"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_convert_to_every_layout_and_back(radcap: Command, folder: Path, tmp_path: Path, layout: str) -> None:
    there = radcap("dataset", "convert", folder, tmp_path / "there", "--to", layout)
    assert there.code == 0
    assert "12 records in, 12 written with 12 images" in there.err
    back = radcap("dataset", "convert", tmp_path / "there", tmp_path / "back", "--to", "parquet")
    assert back.code == 0
    first, second = load_dataset(folder), load_dataset(tmp_path / "back")
    assert _plain(first) == _plain(second)
    for name in ("card.json", "README.md", "croissant.json", "cui_mapping.csv"):
        assert (tmp_path / "there" / name).is_file()


def _plain(dataset: Dataset) -> dict[str, object]:
    return {
        one.id: (
            *(one.split, one.captions, one.concepts, one.manual, one.group, one.source, one.licence),
            *(one.attribution, one.modality, dict(one.details), one.image.bytes),
        )
        for one in dataset
    }


def test_convert_can_code_images_anew(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "convert", folder, tmp_path / "small", "--images", "webp", "--size", "16")
    assert done.code == 0
    assert load_dataset(tmp_path / "small")[0].image.load().size == (16, 11)


def test_a_size_needs_a_format(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "convert", folder, tmp_path / "small", "--size", "16")
    assert done.code == 2
    assert "--images webp" in done.err
    assert not (tmp_path / "small").exists()


def test_convert_writes_over_nothing(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "convert", folder, folder, "--to", "folder")
    assert done.code == 2
    assert len(load_dataset(folder)) == 12


def test_convert_as_json(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "convert", folder, tmp_path / "out", "--json", "--split", "train")
    assert json.loads(done.out)["records"] == 6
    assert "12 records read, 6 kept" in done.err


def test_stats_with_pixels(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "stats", folder, "--pixels", "--workers", "1")
    assert done.code == 0
    assert "Cureus" in done.out


def test_stats_as_json(radcap: Command, folder: Path) -> None:
    assert json.loads(radcap("dataset", "stats", folder, "--json").out)["images"] == 12


def test_report_is_one_page(radcap: Command, folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = radcap("dataset", "report", folder, "--out", page, "--workers", "1", "--sample", "4")
    assert done.code == 0
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "data:image/webp" in text


def test_report_goes_to_a_page_only(radcap: Command, folder: Path, tmp_path: Path) -> None:
    assert radcap("dataset", "report", folder, "--out", tmp_path / "page.txt").code == 2


def test_compare_of_two_and_of_splits(radcap: Command, folder: Path) -> None:
    assert "train" in radcap("dataset", "compare", folder).out
    assert len(json.loads(radcap("dataset", "compare", folder, folder, "--json").out)) > 0


def test_leaks_between_splits_and_between_datasets(radcap: Command, folder: Path) -> None:
    within = radcap("dataset", "leaks", folder, "--no-pixels")
    assert within.code == 1
    across = radcap("dataset", "leaks", folder, folder, "--workers", "1", "--json")
    assert across.code == 1
    assert json.loads(across.out)
    assert radcap("dataset", "leaks", folder, folder, folder).code == 2


def test_split_keeps_groups_together(radcap: Command, folder: Path, tmp_path: Path) -> None:
    shares = ("--train", "0.5", "--valid", "0.25", "--test", "0.25")
    done = radcap("dataset", "split", folder, tmp_path / "new", *shares, "--workers", "1")
    assert done.code == 0
    sides: dict[str, set[str]] = {}
    for one in load_dataset(tmp_path / "new"):
        sides.setdefault(one.group, set()).add(one.split)
    assert all(len(side) == 1 for side in sides.values())


def test_split_as_json(radcap: Command, folder: Path, tmp_path: Path) -> None:
    done = radcap("dataset", "split", folder, tmp_path / "new", "--no-pixels", "--json")
    assert json.loads(done.out)["records"] == 12


def test_synth_writes_a_dataset(radcap: Command, tmp_path: Path) -> None:
    done = radcap("dataset", "synth", tmp_path / "made", "--images", "20", "--size", "32")
    assert done.code == 0
    assert len(load_dataset(tmp_path / "made")) == 20


def test_cache_tells_its_folder_and_shape(radcap: Command, folder: Path) -> None:
    done = radcap("dataset", "cache", folder, "--size", "16", "--workers", "1", "--json")
    assert json.loads(done.out)["shape"] == [12, 16, 16, 3]
    assert radcap("dataset", "cache", folder, "--size", "16", "--workers", "1").code == 0
    assert radcap("dataset", "cache", folder, "--channels", "2").code == 2


def test_every_shared_pair_goes_into_a_list(radcap: Command, folder: Path, tmp_path: Path) -> None:
    radcap("dataset", "leaks", folder, "--no-pixels", "--list", tmp_path / "pairs.csv")
    header, *rows = (tmp_path / "pairs.csv").read_text("utf-8").splitlines()
    assert header == "evidence,second,second_split,first,first_split,what"
    assert {row.split(",")[0] for row in rows} >= {"group"}


def test_a_list_takes_the_place_of_no_data(radcap: Command, folder: Path) -> None:
    assert radcap("dataset", "leaks", folder, "--no-pixels", "--list", folder / "card.json").code == 2


def test_semantic_types_are_counted_from_a_table(radcap: Command, folder: Path, tmp_path: Path) -> None:
    types = tmp_path / "types.csv"
    types.write_text("CUI,TUI\nC0040405,T060\n", "utf-8")
    done = radcap("dataset", "stats", folder, "--semantic-types", types, "--json")
    assert json.loads(done.out)["concepts"]["semantic_types"] == [{"name": "T060", "n": 6}]
    assert radcap("dataset", "stats", folder, "--semantic-types", tmp_path / "absent").code == 1


def test_a_split_can_be_kept_and_years_sent_to_test(radcap: Command, folder: Path, tmp_path: Path) -> None:
    kept = radcap("dataset", "split", folder, tmp_path / "kept", "--no-pixels", "--keep", "test")
    assert kept.code == 0
    before, after = load_dataset(folder), load_dataset(tmp_path / "kept")
    assert {one.id for one in before.split("test")} <= {one.id for one in after.split("test")}
    late = radcap("dataset", "split", folder, tmp_path / "late", "--no-pixels", "--from-year", "2019")
    assert late.code == 0
    assert all(
        one.split == "test" for one in load_dataset(tmp_path / "late") if one.details["year"] == "2019"
    )
