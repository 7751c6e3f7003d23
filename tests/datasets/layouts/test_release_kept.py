"""A large release is opened from the cache while its label files are what they were, and never otherwise."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from dataset_samples import sample
from pyarrow import ipc

from radcap.datasets import load_dataset, save
from radcap.datasets.layouts.release import kept, layout
from radcap.datasets.layouts.release.kept import KeptTable
from radcap.datasets.text_tables import files

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.datasets import Dataset

LONG_AGO = 1_600_000_000


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, which keeps small releases too."""
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_FROM", 1)
    real = KeptTable.keep_soon

    def at_once(place: KeptTable, table: pa.Table) -> None:
        work = real(place, table)
        if work is not None:
            work.join()

    monkeypatch.setattr(KeptTable, "keep_soon", at_once)
    return tmp_path / "cache" / "opened"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = save(sample(), tmp_path / "data", "rocov2").path
    for file in path.iterdir():
        os.utime(file, (LONG_AGO, LONG_AGO))
    return path


@pytest.fixture
def joins(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every time that label files are read."""
    seen: list[str] = []
    real = files.read_csvs

    def counted(*arguments: object) -> object:
        seen.append("read")
        return real(*arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(layout, "read_csvs", counted)
    return seen


def records(dataset: Dataset) -> list[object]:
    return [
        (one.id, one.split, one.captions, one.concepts, dict(one.details), one.image.bytes) for one in dataset
    ]


def test_the_second_time_no_label_file_is_read(cache: Path, folder: Path, joins: list[str]) -> None:
    first, second = load_dataset(folder), load_dataset(folder)
    assert joins == ["read"]
    assert records(first) == records(second)
    assert len(list(cache.iterdir())) == 1


def test_a_changed_label_file_is_read_again(cache: Path, folder: Path, joins: list[str]) -> None:
    load_dataset(folder)
    path = folder / "train_concepts.csv"
    path.write_text(path.read_text("utf-8").replace("C0024485", "C0040405"), "utf-8")  # of the same size
    assert "C0024485" not in {cui for one in load_dataset(folder, "train") for cui in one.concepts}
    assert joins == ["read", "read"]


def test_a_file_that_was_just_written_is_not_trusted(cache: Path, folder: Path, joins: list[str]) -> None:
    os.utime(folder / "train_concepts.csv")
    load_dataset(folder)
    load_dataset(folder)
    assert joins == ["read", "read"]
    assert not cache.exists()


def test_a_small_release_is_not_kept(
    cache: Path, folder: Path, joins: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_FROM", 13)
    load_dataset(folder)
    assert not cache.exists()


def test_a_release_with_findings_is_not_kept(cache: Path, folder: Path) -> None:
    path = folder / "train_concepts.csv"
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")  # a blank line
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert load_dataset(folder).findings
    assert not cache.exists()


@pytest.mark.parametrize("content", [b"", b"ARROW1 and no more", b"\0" * 5000])
def test_a_broken_cache_is_made_again(cache: Path, folder: Path, content: bytes) -> None:
    whole = records(load_dataset(folder))
    (path,) = cache.iterdir()
    path.write_bytes(content)
    assert records(load_dataset(folder)) == whole
    assert path.stat().st_size > len(content)


def test_a_table_of_another_shape_is_no_kept_one(cache: Path, folder: Path, joins: list[str]) -> None:
    load_dataset(folder)
    (path,) = cache.iterdir()
    other = pa.table({"image_id": ["a"]})
    with pa.OSFile(str(path), "wb") as sink, ipc.new_file(sink, other.schema) as writer:
        writer.write_table(other)
    assert len(load_dataset(folder)) == 12
    assert joins == ["read", "read"]


def test_a_cache_that_cannot_be_written_stops_nobody(cache: Path, folder: Path) -> None:
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text("a file where the folder should be", "utf-8")
    assert len(load_dataset(folder)) == 12
