"""Captions by who wrote them: parts that together are the column, and what tables call them."""

from __future__ import annotations

from collections import Counter

import pytest
from dataset_round_trips import tables
from dataset_samples import dataset_of, row, sample
from hypothesis import given, settings

from radcap.core import UsageError
from radcap.datasets import CaptionSource, Dataset, Selection, load_dataset
from radcap.datasets.caption_parts import (
    caption_part,
    caption_parts,
    images_by_source,
    source_named,
    source_titles,
    unmarked_source,
)

ORIGINAL, TRANSLATED, GENERATED, COMPOSED = CaptionSource


def said(*sources: str) -> list[dict[str, str]]:
    return [{"text": f"by {source}", "source": source, "language": "en"} for source in sources]


def of_sources(*rows: tuple[str, ...]) -> Dataset:
    return dataset_of([row(f"r{place}", captions=said(*one)) for place, one in enumerate(rows)], {})


@settings(max_examples=50, deadline=None)
@given(dataset=tables())
def test_every_caption_is_in_one_part_in_its_row_and_in_order(dataset: Dataset) -> None:
    column = dataset.column("captions")
    parts = caption_parts(column)
    assert list(parts) == [one for one in CaptionSource if one in parts]
    for source, part in parts.items():
        rows = [[one for one in cell if one["source"] == source] for cell in column.to_pylist()]
        assert part.to_pylist() == rows
        assert any(rows)
    counted = Counter(one.source for record in dataset for one in record.captions)
    assert {source: len(part.flatten()) for source, part in parts.items()} == counted


def test_images_count_once_for_each_source() -> None:
    dataset = of_sources(("composed", "original", "composed"), ("composed",), ())
    assert images_by_source(dataset.column("captions")) == {"original": 1, "composed": 2}
    assert images_by_source(of_sources((), ()).column("captions")) == {}


def test_a_slice_has_the_captions_of_its_own_rows() -> None:
    dataset = of_sources(("original",), ("composed",), ("original", "composed"))[1:]
    assert [len(one) for one in caption_part(dataset.column("captions"), ORIGINAL).to_pylist()] == [0, 1]


@pytest.mark.parametrize(
    ("rows", "source"),
    [
        ([("original",), ("composed",)], ORIGINAL),
        ([("composed", "original")], ORIGINAL),
        ([("composed",), ("composed",)], COMPOSED),
        ([("translated",)], TRANSLATED),
        ([("generated",), ("composed",)], ORIGINAL),  # which is to say none of them
        ([()], ORIGINAL),
    ],
)
def test_a_file_without_sources_takes_those_of_one(rows: list[tuple[str, ...]], source: str) -> None:
    assert unmarked_source(of_sources(*rows).column("captions")) is source


@pytest.mark.parametrize(
    ("sources", "titles"),
    [
        ([], {"original": "captions"}),
        (["original"], {"original": "captions"}),
        (["composed"], {"composed": "composed captions"}),
        (
            ["composed", "original"],
            {"original": "original captions", "composed": "composed captions"},
        ),
    ],
)
def test_only_captions_of_authors_alone_go_without_an_adjective(
    sources: list[str], titles: dict[str, str]
) -> None:
    assert source_titles("captions", sources) == titles


def test_an_unknown_source_is_refused_with_the_nearest() -> None:
    assert source_named("composed") is COMPOSED
    with pytest.raises(UsageError, match=r"no source of captions 'compozed'\. Nearest is 'composed'"):
        source_named("compozed")


def test_a_selection_keeps_captions_of_one_source_and_every_record() -> None:
    dataset = sample()
    kept = dataset.select(Selection(captions=TRANSLATED))
    assert kept.ids == dataset.ids
    for ours, theirs in zip(kept, dataset, strict=True):
        assert ours.captions == tuple(one for one in theirs.captions if one.source is TRANSLATED)
        assert ours.concepts == theirs.concepts


def test_a_dataset_is_opened_with_captions_of_one_source(tmp_path) -> None:
    of_sources(("original", "composed"), ("composed",)).save(tmp_path / "data")
    for source, counts in {"all": [2, 1], "original": [1, 0], "composed": [1, 1]}.items():
        found = load_dataset(tmp_path / "data", captions=source)
        assert [len(record.captions) for record in found] == counts
    with pytest.raises(UsageError, match="no source of captions 'none'"):
        load_dataset(tmp_path / "data", captions="none")
