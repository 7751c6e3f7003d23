"""A dataset in numbers: the arithmetic of the published sets, and what holds for any dataset."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from dataset_samples import dataset_of, row, sample
from survey_samples import survey_of

from radcap.datasets import Dataset
from radcap.datasets.columns import captions_of_texts, make_table
from radcap.datasets.statistics.count_tables import count_table, percent
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.figures import group_codes, statistics
from radcap.datasets.statistics.tables import statistic_tables

TABLES = Path(__file__).parents[2] / "golden" / "rocov2_tables"
IMAGES_2025 = {"train": 80_091, "valid": 17_277, "test": 19_267}
MENTIONS_2025 = {"train": 252_772, "valid": 48_761, "test": 24_242}
UNIQUE_2025 = {"train": 1_949, "valid": 716, "test": 702}


def spread(total: int, rows: int) -> np.ndarray:
    """`total` things over rows, as evenly as can be."""
    counts = np.full(rows, total // rows)
    counts[: total % rows] += 1
    return counts


def edition_2025() -> Dataset:
    """As many images, concepts and mentions in each split as the overview of 2025 prints."""
    splits: list[str] = []
    counts: list[np.ndarray] = []
    codes: list[np.ndarray] = []
    for split, images in IMAGES_2025.items():
        splits += [split] * images
        counts.append(spread(MENTIONS_2025[split], images))
        codes.append(np.arange(MENTIONS_2025[split]) % UNIQUE_2025[split])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int32)
    names = pa.array([f"C{number:07d}" for number in range(1_949)])
    cui = pa.ListArray.from_arrays(pa.array(offsets), names.take(pa.array(np.concatenate(codes))))
    return Dataset("2025", make_table({"split": splits, "cui": cui}, len(splits)))


def test_concepts_per_image_of_2025() -> None:
    found = statistics(edition_2025())
    assert found.images == sum(IMAGES_2025.values()) == 116_635
    per_split = {one.name: one for one in found.splits}
    assert {name: one.images for name, one in per_split.items()} == IMAGES_2025
    assert {name: one.concepts for name, one in per_split.items()} == MENTIONS_2025
    assert {name: one.unique for name, one in per_split.items()} == UNIQUE_2025
    means = {name: round(one.concepts_per_image, 2) for name, one in per_split.items()}
    assert means == {"train": 3.16, "valid": 2.82, "test": 1.26}
    assert means["test"] < means["train"]  # the overview blames lower scores on more concepts per image
    assert [one.unseen for one in found.splits] == [0, 0, 0]


def test_captions_per_article_of_rocov2() -> None:
    images, articles = 79_789, 44_975
    sizes = np.ones(articles, np.int64)
    sizes[0] = 28
    sizes[1:] += spread(images - articles - 27, articles - 1)
    groups = np.repeat(np.arange(articles), sizes)
    columns = {"group": [f"PMC{number}" for number in groups], "captions": captions_of_texts(["CT"] * images)}
    found = statistics(Dataset("rocov2", make_table(columns, images)))
    said = next(
        one
        for one in csv.DictReader((TABLES / "statistics.csv").read_text("utf-8").splitlines())
        if one["Statistic"] == "Captions per Article"
    )
    per_article = found.captions["original"].per_group
    assert round(per_article.mean, 3) == 1.774
    assert f"{per_article.mean:.2f}" == said["Average"]  # the text of the paper says 1.76
    assert (per_article.maximum, per_article.minimum) == (int(said["Maximum"]), int(said["Minimum"]))
    assert found.images_per_group == per_article
    assert found.groups == articles


def test_images_without_a_group_are_groups_of_their_own() -> None:
    dataset = dataset_of([row("a", group="x"), row("b", group=""), row("c", group="x"), row("d", group="")])
    assert group_codes(dataset).tolist() == [0, 1, 0, 2]
    found = statistics(dataset)
    assert (found.groups, found.ungrouped, found.images_per_group.maximum) == (3, 2, 2)


def test_concepts_that_train_lacks_are_unseen() -> None:
    rows = [row("a", cui=["C1", "C2"]), row("b", "test", cui=["C2", "C3", "C4"])]
    assert [one.unseen for one in statistics(dataset_of(rows)).splits] == [0, 2]
    assert [one.unseen for one in statistics(dataset_of(rows[1:])).splits] == [0]


def test_a_split_has_the_numbers_of_a_dataset_with_this_split_alone() -> None:
    dataset = sample(40)
    for one in statistics(dataset).splits:
        alone = statistics(dataset.split(one.name))
        assert (one.images, one.groups) == (alone.images, alone.groups)
        told = {name: (part.n, part.words) for name, part in one.captions.items()}
        assert told == {name: (part.n, part.words.mean) for name, part in alone.captions.items()}
        assert one.unique == alone.concepts.unique
        assert one.concepts_per_image == pytest.approx(alone.concepts.per_image.mean)


def test_every_image_has_one_modality_and_one_licence() -> None:
    found = statistics(sample(40))
    assert sum(one.n for one in found.modalities) == 40
    assert sum(one.n for one in found.licences.families) == 40
    assert found.sources == (Count("made", 40),)


@pytest.mark.parametrize("n", [0, 1, 12])
def test_any_size_gives_json_and_tables(n: int) -> None:
    dataset = sample(12)[:n]
    found = statistics(dataset, survey_of(dataset), semantic_types={"C0040405": ["T060"]})
    told = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert told["images"] == n
    assert set(told) >= {"splits", "captions", "concepts", "labels", "licences", "publication", "pixels"}
    for table in statistic_tables(found):
        assert table.rows
        assert all(len(line) == len(table.columns) for line in table.rows)
        assert table.right < set(table.columns)
        assert table.to_markdown()
        assert table.to_latex()


def test_a_split_without_a_name_is_unknown() -> None:
    found = statistics(dataset_of([row("a", ""), row("b", "train")]))
    assert [one.name for one in found.splits] == ["train", "unknown"]


def test_tables_say_what_a_paper_says() -> None:
    tables = {table.title: table for table in statistic_tables(statistics(sample(12), survey_of(sample(12))))}
    assert ("concepts per image", "12", "1.50", "1.5", "2", "1") in tables["Spread"].rows
    assert tables["Licences"].rows == (("CC BY", "6", "50.0 %"), ("CC BY-NC", "6", "50.0 %"))
    assert tables["Most frequent concepts, CT"].rows[0] == ("C0024485", "MRI", "6", "100.0 %")
    assert tables["Grey and colour"].rows[0] == ("grey", "12", "100.0 %")
    assert len(tables["Year of publication"].rows) == 5


def test_without_pixels_there_are_no_tables_of_pixels() -> None:
    titles = [table.title for table in statistic_tables(statistics(sample()))]
    assert not any(title.startswith("Size in pixels") for title in titles)


def test_a_long_list_is_cut_and_says_so() -> None:
    table = count_table([Count(f"j{n:02d}", 2) for n in range(25)], "journal", "Journals", 50, "articles")
    assert table.rows[-1] == ("5 others", "10", "20.0 %")
    assert len(table.rows) == 21


def test_a_share_of_nothing_is_a_dash() -> None:
    assert percent(0, 0) == "-"
