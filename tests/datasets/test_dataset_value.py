from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from dataset_samples import dataset_of, row, sample

from radcap.core import UsageError
from radcap.datasets import Dataset, Selection
from radcap.datasets.columns import empty_table
from radcap.datasets.selection import concepts_named


def test_length_iteration_and_places_agree() -> None:
    data = sample(7)
    records = list(data)
    assert len(data) == len(records) == 7
    assert [data[place] for place in range(7)] == records
    assert data[-1] == records[6]
    assert [one.id for one in records] == data.ids


def test_iteration_goes_on_beyond_a_batch() -> None:
    data = dataset_of([row(f"i{place}") for place in range(1030)], {})
    assert [one.id for one in data] == data.ids


def test_a_record_has_all_that_its_row_has() -> None:
    record = sample()[3]
    assert record.id == "Sample_000003"
    assert record.split == "test"
    assert [(one.source.value, one.language) for one in record.captions] == [
        ("original", "en"),
        ("translated", "de"),
    ]
    assert record.concepts == ("C0040405", "C0817096")
    assert record.manual == ("C0040405",)
    assert (record.group, record.licence, record.modality) == ("PMC1", "CC BY-NC 4.0", "DRMR")
    assert record.details == {"year": "2018", "journal": "Cureus"}
    assert record.image.load().size == (48, 32)


def test_records_are_found_by_id() -> None:
    assert sample()["Sample_000004"].id == "Sample_000004"
    with pytest.raises(KeyError, match="sample has no image 'nobody'"):
        sample()["nobody"]


@pytest.mark.parametrize("place", [12, -13])
def test_a_place_that_is_not_there_is_refused(place: int) -> None:
    with pytest.raises(IndexError, match="sample has 12 records; there is none at"):
        sample()[place]


def test_a_part_is_a_dataset_that_knows_how_much_was_read() -> None:
    part = sample()[2:10:3]
    assert part.ids == ["Sample_000002", "Sample_000005", "Sample_000008"]
    assert (len(part), part.found) == (3, 12)
    assert part[0].image.load().size == (48, 32)


def test_splits_come_in_the_usual_order_then_by_name() -> None:
    data = dataset_of([row(name, name) for name in ("zoo", "test", "extra", "train", "valid")], {})
    assert data.splits == ("train", "valid", "test", "extra", "zoo")
    assert data.split("extra").ids == ["extra"]
    with pytest.raises(UsageError, match="There is no split 'tets'"):
        data.split("tets")


def test_records_are_kept_by_marks_and_taken_by_place() -> None:
    data = sample(4)
    marks = [True, False, False, True]
    assert data.filter(np.array(marks)).ids == data.filter(pa.array(marks)).ids == [data.ids[0], data.ids[3]]
    assert data.take([3, 1]).ids == data.take(np.array([3, 1])).ids == [data.ids[3], data.ids[1]]
    assert len(data.take([])) == 0


def test_a_selection_gives_a_new_dataset() -> None:
    data = sample()
    manual = data.select(Selection(concepts_named("manual")))
    assert manual[1].concepts == ("C0040405",)
    assert data[1].concepts == ("C0040405", "C0817096")
    assert manual.found == 12


def test_an_image_is_found_without_its_record() -> None:
    data = sample()
    assert data.image(2).bytes == data[2].image.bytes


def test_labels_alone_are_a_dataset() -> None:
    data = Dataset("bare", empty_table())
    assert (len(data), list(data), data.splits, data.ids) == (0, [], (), [])
    assert data.card.name == ""
    assert data.column("cui").to_pylist() == []


def test_a_table_in_pieces_is_one_column() -> None:
    table = pa.concat_tables([sample(3).table, sample(2).table])
    assert len(Dataset("x", table).column("image_id")) == 5


def test_a_dataset_crosses_processes() -> None:
    data = sample()
    again = pickle.loads(pickle.dumps(data))  # noqa: S301, our own bytes
    assert list(again) == list(data)


def test_it_is_shown_without_its_contents() -> None:
    assert repr(sample()) == "Dataset(name='sample', layout='memory', path=None, found=12)"


def test_saving_hands_on_to_the_layout(tmp_path: Path) -> None:
    seen: list[int] = []
    saved = sample().save(tmp_path / "out", "folder", progress=lambda _, done: seen.append(done))
    assert (saved.records, saved.images, saved.layout) == (12, 12, "folder")
    assert seen[-1] == 12
