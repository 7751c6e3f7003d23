"""The ids a run must name."""

from __future__ import annotations

import pytest

from radcap.formats import Expected
from radcap.formats.expected import series_of, split_of


def test_ids_keep_their_order_and_count_once() -> None:
    expected = Expected.of(["b", "a", "b", "c"], "ids.csv")
    assert list(expected.position.items()) == [("b", 0), ("a", 1), ("c", 2)]
    assert len(expected) == 3
    assert "a" in expected
    assert "z" not in expected
    assert expected.source == "ids.csv"


SPLITS = [
    ("ImageCLEFmedical_Caption_2025_test_17", "test"),
    ("ImageCLEFmedical_Caption_2026_synth_valid_000001", "valid"),
    ("ROCOv2_2023_train_000001", "train"),
    ("x_VALIDATION_1", "validation"),
    ("dev-3", "dev"),
    ("latest_3", ""),
    ("testimony", ""),
    ("1471-2342-10-23-4", ""),
]


@pytest.mark.parametrize(("image_id", "split"), SPLITS)
def test_the_split_an_id_names(image_id: str, split: str) -> None:
    assert split_of(image_id) == split


@pytest.mark.parametrize(("ids", "split"), [(["x_test_1"], "test"), (["x1"], "given"), ([], "given")])
def test_the_split_of_all_ids(ids: list[str], split: str) -> None:
    assert Expected.of(ids).split == split


SERIES = [
    ("ROCOv2_2023_test_000001", "ROCOv2_2023_test_"),
    ("ROCOv2_2023_test_000001.jpg", "ROCOv2_2023_test_"),
    ("000001", ""),
    ("name", "name"),
]


@pytest.mark.parametrize(("image_id", "series"), SERIES)
def test_the_series_of_an_id_is_what_its_split_shares(image_id: str, series: str) -> None:
    assert series_of(image_id) == series
