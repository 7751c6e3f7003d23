"""`radcap dataset info`: what is counted, and what the tables say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from dataset_samples import dataset_of, row, sample

from radcap.datasets import Selection, load_dataset
from radcap.datasets.describing import describe, description_tables, splits_table


def test_splits_are_counted_one_by_one_and_together() -> None:
    found = describe(sample())
    assert [one.name for one in found.splits] == ["train", "valid", "test"]
    assert [one.records for one in found.splits] == [6, 3, 3]
    total = found.total
    assert (total.records, total.images, total.labelled) == (12, 12, 12)
    assert total.captioned == {"original": 9, "translated": 3}
    assert (total.concepts, total.groups) == (3, 6)


def test_images_that_are_not_there_are_not_counted() -> None:
    found = describe(dataset_of([row("a"), row("b", image=""), row("c", image="gone.png")], {"a.png": b"x"}))
    assert (found.total.records, found.total.images) == (3, 1)


def test_a_record_without_group_is_in_no_group() -> None:
    assert describe(dataset_of([row("a", group=""), row("b", group="g")])).total.groups == 1


def test_licences_and_caption_sources_are_counted_most_frequent_first() -> None:
    found = describe(dataset_of([row("a", licence=""), row("b", captions="x"), row("c")]))
    assert dict(found.licences) == {"CC0 1.0": 2, "not said": 1}
    assert list(found.licences) == ["CC0 1.0", "not said"]
    assert dict(found.caption_sources) == {"original": 1}


def test_what_was_left_out_is_told() -> None:
    found = describe(sample().select(Selection(min_concepts=2)))
    assert (found.found, found.total.records) == (12, 6)


def test_an_empty_dataset_is_described_with_zeros() -> None:
    found = describe(dataset_of([], {}))
    assert (found.total.records, found.total.images, found.splits) == (0, 0, ())


def test_tables_say_where_the_data_lie() -> None:
    here = describe(replace(sample(), path=Path("somewhere")))
    assert ("folder", "somewhere") in description_tables(here)[0].rows
    assert ("folder", "inside radcap") in description_tables(describe(load_dataset("radiology-open")))[0].rows


def test_the_table_of_splits_ends_with_the_sum() -> None:
    table = splits_table(describe(sample()))
    assert table.rows[-1] == ("all", "12", "12", "9", "3", "12", "3", "6")
    assert table.columns[3:5] == ("with original caption", "with translated caption")


def test_captions_of_authors_alone_need_no_adjective() -> None:
    for rows in ([row("a", captions="CT")], [row("a")]):
        assert splits_table(describe(dataset_of(rows))).columns[3] == "with caption"


def test_a_split_without_captions_of_a_source_has_none_of_it() -> None:
    composed = [{"text": "CT", "source": "composed", "language": "en"}]
    table = splits_table(describe(dataset_of([row("a", captions="CT"), row("b", "test", captions=composed)])))
    assert [line[3:5] for line in table.rows] == [("1", "0"), ("0", "1"), ("1", "1")]


def test_json_has_every_figure() -> None:
    found = json.loads(json.dumps(describe(sample()).to_json()))
    assert (found["found"], found["kept"], found["bundled"]) == (12, 12, False)
    assert found["splits"][0] == {
        "name": "train",
        "records": 6,
        "images": 6,
        "captioned": {"original": 4, "translated": 1},
        "labelled": 6,
        "concepts": 3,
        "groups": 3,
    }
