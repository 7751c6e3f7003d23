"""The published split of ROCO v1 shares articles between train, validation and test."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.leaks import Evidence, Leaks, find_leaks, leaks_within
from radcap.datasets.splits.splitting import split_dataset

ARTICLES = Path(__file__).parents[2] / "golden" / "roco_v1_articles" / "articles.parquet"


@pytest.fixture(scope="module")
def roco() -> Dataset:
    rows = pq.read_table(ARTICLES)
    n = rows.num_rows
    columns = {
        "image_id": pa.array([f"ROCO_{place}" for place in range(n)]),
        "split": rows["split"].cast(pa.string()),
        "group": pa.array([f"PMC{article}" for article in rows["article"].to_pylist()]),
    }
    return Dataset("ROCO v1", make_table(columns, n))


@pytest.fixture(scope="module")
def leaks(roco: Dataset) -> dict[str, Leaks]:
    return {name: find_leaks(roco.split("train"), roco.split(name)) for name in ("valid", "test")}


def test_the_file_is_small_enough_to_ship() -> None:
    assert ARTICLES.stat().st_size < 100_000


@pytest.mark.parametrize(
    ("split", "images", "of", "share", "articles", "of_articles"),
    [("valid", 5412, 8180, "66.2%", 4770, 7417), ("test", 5386, 8179, "65.9%", 4723, 7404)],
)
def test_two_thirds_of_the_images_are_from_articles_of_train(
    leaks: dict[str, Leaks], split: str, images: int, of: int, share: str, articles: int, of_articles: int
) -> None:
    found = leaks[split].leak(Evidence.GROUP)
    assert (found.images, found.of, f"{found.share:.1%}") == (images, of, share)
    assert (found.matches.keys, found.matches.keys_second) == (articles, of_articles)
    assert leaks[split].leaking


def test_every_leaking_image_is_listed_with_a_partner_of_the_same_article(
    roco: Dataset, leaks: dict[str, Leaks]
) -> None:
    pairs = list(leaks["test"].pairs(Evidence.GROUP))
    groups = dict(zip(roco.ids, roco.column("group").to_pylist(), strict=True))
    assert len(pairs) == 5386
    assert all(groups[one.first] == groups[one.second] == one.what for one in pairs)
    assert {one.first_split for one in pairs} == {"train"}


def test_all_pairs_of_splits_are_compared(roco: Dataset) -> None:
    assert [one.titles for one in leaks_within(roco)] == [
        ("ROCO v1 train", "ROCO v1 valid"),
        ("ROCO v1 train", "ROCO v1 test"),
        ("ROCO v1 valid", "ROCO v1 test"),
    ]


def test_a_split_by_group_of_the_same_images_leaks_nothing(roco: Dataset) -> None:
    again = split_dataset(roco).dataset
    assert not any(one.leaking for one in leaks_within(again))
