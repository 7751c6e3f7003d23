"""Splits by the names of files and folders."""

from __future__ import annotations

import pytest

from radcap.datasets.layouts.split_names import folder_split, split_of, tells_split


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train", "train"),
        ("Training", "train"),
        ("VAL", "valid"),
        ("dev", "valid"),
        ("images_test", "test"),
        ("trained", ""),
    ],
)
def test_a_word_of_the_name_tells_the_split(name: str, split: str):
    assert tells_split(name) == split


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("train-00000-of-00003.parquet", "train"),
        ("test/0000.parquet", "test"),
        ("test/train-0.parquet", "train"),
        ("extra-000001.tar", "extra"),
        ("2024-000001.tar", "2024"),
        ("000001.tar", "train"),
        ("figures.tar", "train"),
    ],
)
def test_file_before_folder_before_number(path: str, split: str):
    assert split_of(path) == split


def test_an_image_is_sorted_by_its_folders_alone():
    assert folder_split("test/train_1.jpg") == "test"
    assert folder_split("train_1.jpg") == "train"
