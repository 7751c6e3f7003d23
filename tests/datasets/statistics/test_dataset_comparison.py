"""Datasets side by side: numbers by hand, distances against scipy, the editions' arithmetic."""

from __future__ import annotations

import json

import numpy as np
import pytest
from dataset_samples import dataset_of, row, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.statistics.comparison import compare_datasets
from radcap.datasets.statistics.distances import jensen_shannon, total_variation
from radcap.datasets.statistics.splits import CaptionCount

SHARES = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


@settings(max_examples=100, deadline=None)
@given(SHARES, SHARES)
def test_distances_are_those_of_scipy(first: list[int], second: list[int]) -> None:
    p, q = (np.array(one) / sum(one) for one in (first, second))
    one, other = ({name: share for name, share in zip("abcd", part, strict=True) if share} for part in (p, q))
    assert jensen_shannon(one, other) == pytest.approx(jensenshannon(p, q, 2), abs=1e-7)
    assert total_variation(one, other) == pytest.approx(np.abs(p - q).sum() / 2)
    assert jensen_shannon(one, other) == pytest.approx(jensen_shannon(other, one))


def test_shares_with_nothing_in_common_are_one_apart() -> None:
    assert total_variation({"a": 1.0}, {"b": 1.0}) == jensen_shannon({"a": 1.0}, {"b": 1.0}) == 1
    assert total_variation({}, {}) == jensen_shannon({}, {}) == 0


def old() -> Dataset:
    rows = [
        row("a", modality="DRCT", cui=["C0040405", "C0000001"], captions="one two", group="x"),
        row("b", modality="DRCT", cui=["C0040405"], captions="one", group="x"),
        row("c", modality="DRMR", cui=["C0024485", "C0000002"], licence="CC BY 4.0"),
        row("d", modality="DRMR", cui=["C0024485"]),
    ]
    return dataset_of(rows, name="old")


def new() -> Dataset:
    rows = [
        row("a", modality="CT", cui=["C0040405", "C0000003"]),
        row("b", modality="CT", cui=["C0040405", "C0000003"]),
        row("c", modality="CT", cui=["C0040405"]),
        row("d", modality="US", cui=["C0041618", "C0000001"]),
    ]
    return dataset_of(rows, name="new")


def test_numbers_by_hand() -> None:
    first, second = compare_datasets([old(), new()]).datasets
    assert (first.images, first.groups, first.captions) == (4, 3, {"original": CaptionCount(2, 1.5)})
    assert (second.concepts, second.concepts_per_image, second.unique) == (7, 1.75, 4)
    assert second.modalities == {"CT": 0.75, "Ultrasound": 0.25}
    assert second.modality_shift == {"CT": 25.0, "MRI": -50.0, "Ultrasound": 25.0}
    assert (second.total_variation, first.total_variation) == (0.5, 0.0)
    assert (second.shared, second.new, second.lost) == (2, 2, 2)
    assert second.overlap == pytest.approx(2 / 6)
    assert [(one.cui, one.images) for one in second.top_new] == [("C0000003", 2), ("C0041618", 1)]
    assert [(one.cui, one.images) for one in second.top_lost] == [("C0024485", 2), ("C0000002", 1)]
    assert first.licences == {"CC0": 0.75, "CC BY": 0.25}


def test_tables_show_the_shift_with_its_sign() -> None:
    tables = {table.title: table for table in compare_datasets([old(), new()]).tables()}
    shares = {
        line[0]: line[1:] for line in tables["Modalities, and percentage points more or less than old"].rows
    }
    assert shares == {
        "CT": ("50.0 %", "75.0 % (+25.0)"),
        "MRI": ("50.0 %", "0.0 % (-50.0)"),
        "Ultrasound": ("0.0 %", "25.0 % (+25.0)"),
    }
    against = {line[0]: line[1] for line in tables["Against old"].rows}
    assert against["new concepts"] == "2"
    assert against["overlap of concepts"] == "33.3 %"
    assert tables["Sizes"].columns == ("", "old", "new")
    came = tables["Concepts of new that are new or lost against old, the most frequent ones"].rows
    assert [line[0] for line in came] == ["new", "new", "lost", "lost"]


def test_no_minus_stands_before_a_zero() -> None:
    rows = [row(f"i{n}", modality="CT" if n else "MR") for n in range(3000)]
    more = [row(f"i{n}", modality="CT" if n > 1 else "MR") for n in range(6001)]
    tables = compare_datasets([dataset_of(rows, {}, "a"), dataset_of(more, {}, "b")]).tables()
    assert "-0.0" not in "".join(table.to_csv() for table in tables)


def test_splits_of_one_dataset_are_set_side_by_side() -> None:
    found = compare_datasets([sample(40)])
    assert [one.name for one in found.datasets] == ["train", "valid", "test"]
    assert sum(one.images for one in found.datasets) == 40


def test_the_same_name_twice_gets_a_number() -> None:
    found = compare_datasets([old(), new(), old()])
    assert [one.name for one in found.datasets] == ["old (1)", "new", "old (2)"]
    assert found.datasets[2].total_variation == 0
    assert found.datasets[2].overlap == 1


def test_editions_of_the_challenge() -> None:
    """2026 trains on train and valid of 2025 less four images, and validates on its test less 27."""
    sizes = {
        "2023": (59_958, 9_904, 9_927),
        "2025": (80_091, 17_277, 19_267),
        "2026": (97_364, 19_240, 15_249),
    }
    editions = [
        Dataset(
            name, make_table({"split": np.repeat(["train", "valid", "test"], counts).tolist()}, sum(counts))
        )
        for name, counts in sizes.items()
    ]
    found = compare_datasets(editions).datasets
    assert [one.images for one in found] == [79_789, 116_635, 131_853]
    train, valid, test = (one.images for one in compare_datasets(editions[1:2]).datasets)
    later = compare_datasets(editions[2:]).datasets
    assert (train + valid - later[0].images, test - later[1].images) == (4, 27)
    assert [one.overlap for one in found] == [0.0, 0.0, 0.0]  # no concepts were given


@pytest.mark.parametrize(
    ("datasets", "words"),
    [([], "No dataset was given"), ([sample(12).split("test")], "test has one split")],
    ids=["none", "one split"],
)
def test_a_comparison_takes_two(datasets: list[Dataset], words: str) -> None:
    with pytest.raises(UsageError, match=f"{words}.*Give two datasets"):
        compare_datasets(datasets)


def test_a_comparison_is_json() -> None:
    told = json.loads(json.dumps(compare_datasets([old(), new()]).to_json(), allow_nan=False))
    assert [one["name"] for one in told["datasets"]] == ["old", "new"]
    assert told["datasets"][1]["top_new"][0]["cui"] == "C0000003"


def test_captions_of_two_sources_are_set_side_by_side_apart() -> None:
    composed = [{"text": "one two three four", "source": "composed", "language": "en"}]
    other = dataset_of([row("a", captions=composed)], name="made")
    sizes = {line[0]: line[1:] for line in compare_datasets([old(), other]).tables()[0].rows}
    assert "captions" not in sizes
    assert sizes["original captions"] == ("2", "0")
    assert sizes["words per original caption"] == ("1.50", "0.00")
    assert sizes["composed captions"] == ("0", "1")
    assert sizes["words per composed caption"] == ("0.00", "4.00")
    alone = {line[0]: line[1:] for line in compare_datasets([old(), old()]).tables()[0].rows}
    assert alone["captions"] == ("2", "2")
    assert alone["words per caption"] == ("1.50", "1.50")
