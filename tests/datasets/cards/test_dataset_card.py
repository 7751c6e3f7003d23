"""The card of a dataset: counted, readable, and valid for Hugging Face."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from dataset_round_trips import tables
from dataset_samples import dataset_of, row, sample
from hypothesis import given, settings

from radcap.datasets import Dataset
from radcap.datasets.cards.markdown import NOT_CLINICAL, counted_card, markdown_card


def written(dataset: Dataset, layout: str = "parquet") -> tuple[dict, str]:
    """The front matter as YAML reads it, and the text."""
    text = markdown_card(replace(dataset, card=counted_card(dataset)), layout)
    _, front, body = text.split("---\n", 2)
    return yaml.safe_load(front), body


def test_images_are_counted_by_split_licence_and_source():
    card = counted_card(dataset_of([row("a", licence=""), row("b", "test"), row("c", "test", source="x")]))
    assert card.counts == {"train": 1, "test": 2}
    assert card.licences == {"CC0 1.0": 2, "not named": 1}
    assert card.sources == {"made": 2, "x": 1}
    assert card.name == "sample"


def test_the_text_says_what_a_user_must_know():
    _, body = written(sample())
    assert body.count(NOT_CLINICAL) == 2
    assert "| Split | Images | With original caption | With translated caption | With concept |" in body
    assert "| train | 6 | 4 | 1 | 6 | 3 | 3 |" in body
    assert "| all | 12 | 9 | 3 | 12 | 3 | 6 |" in body
    assert "| CC BY-NC 4.0 | 6 |" in body
    assert "`cui_manual`" in body
    assert "Further columns, as text: `year`, `journal`." in body
    assert 'radcap.load_dataset("THIS_FOLDER")' in body


def test_what_the_card_says_stands_in_the_text():
    dataset = sample()
    card = replace(
        dataset.card,
        title="My | set\nof images",
        description="What it is.",
        licence="CC BY 4.0",
        labels="By hand.",
        intended_use="Tests.",
        not_for="Nothing else.",
        limitations=("Small.", "Grey."),
        citation="@misc{x}\n",
    )
    _, body = written(replace(dataset, card=card))
    for words in (
        "# My \\| set of images\n",
        "What it is.",
        "By hand.",
        "Tests.",
        "Nothing else.",
        "- Grey.",
        "@misc{x}",
    ):
        assert words in body
    assert "The whole: CC BY 4.0." in body


@pytest.mark.parametrize(
    ("layout", "pattern", "words"),
    [
        ("parquet", "train-*.parquet", 'datasets.load_dataset("parquet"'),
        ("hf", "data/train-*.parquet", 'datasets.load_dataset("THIS_FOLDER")'),
        ("folder", "train/**", "metadata.csv"),
        ("webdataset", "train-*.tar", "webdataset.WebDataset"),
    ],
)
def test_the_front_matter_names_the_files_of_the_layout(layout: str, pattern: str, words: str):
    front, body = written(sample(), layout)
    files = front["configs"][0]["data_files"]
    assert files[0] == {"split": "train", "path": pattern}
    assert len(files) == 3
    assert words in body
    assert ("dataset_info" in front) == (layout in {"parquet", "hf"})


def test_a_release_has_no_files_that_hugging_face_could_open():
    front, body = written(sample(), "rocov2")
    assert "configs" not in front
    assert "the layout `rocov2`" in body


def test_the_front_matter_tells_licence_language_and_size():
    front, _ = written(sample())
    assert front["license"] == ["cc-by-4.0", "cc-by-nc-4.0"]
    assert front["language"] == ["de", "en"]
    assert front["size_categories"] == ["n<1K"]
    assert front["dataset_info"]["splits"][0] == {"name": "train", "num_examples": 6}


def test_a_dataset_of_nothing_has_a_card():
    front, body = written(dataset_of([]))
    assert front["license"] == ["unknown"]
    assert front["language"] == ["en"]
    assert "| all | 0 | 0 | 0 | 0 | 0 |" in body
    assert "record =" not in body


def test_sizes_end_with_millions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Dataset, "__len__", lambda _: 3_000_000)
    assert written(sample())[0]["size_categories"] == ["1M<n<10M"]


@settings(max_examples=50, deadline=None)
@given(dataset=tables())
def test_the_front_matter_is_yaml_for_any_text(dataset: Dataset):
    title = dataset.ids[0] if len(dataset) else "x"
    front, _ = written(replace(dataset, card=replace(dataset.card, title=title)), "hf")
    assert front["pretty_name"] == title
    assert [one["name"] for one in front["dataset_info"]["features"]][:2] == ["image", "image_id"]
