"""The true captions of a dataset: of one source, or a refusal that counts them."""

from __future__ import annotations

import pytest
from dataset_round_trips import tables
from dataset_samples import dataset_of, row
from hypothesis import given, settings

from radcap.core import InputError, Task, UsageError
from radcap.datasets import CaptionSource, Dataset, caption_truth


def text(words: str, source: str = "original") -> dict[str, str]:
    return {"text": words, "source": source, "language": "en"}


def mixed() -> Dataset:
    """Three images of test, of which one has a caption of its author; one of train."""
    rows = [
        row("a", "test", captions=[text("An author wrote this."), text("CT.", "composed")]),
        row("b", "test", captions=[text("MRI.", "composed")]),
        row("c", "test", captions=[text(" \t"), text("X-ray.", "composed"), text("Again.", "composed")]),
        row("d", "train", captions=[text("Another author.")]),
    ]
    return dataset_of(rows, {})


def test_each_source_is_a_truth_of_its_own() -> None:
    test = mixed().split("test")
    original, composed = (caption_truth(test, source) for source in ("original", CaptionSource.COMPOSED))
    assert original.cells == {"a": "An author wrote this."}
    assert composed.cells == {"a": "CT.", "b": "MRI.", "c": "X-ray."}  # the first of two
    assert (original.source, composed.source) == ("original", "composed")
    assert original.images == composed.images == ("a", "b", "c")
    assert (original.task, original.name) == (Task.CAPTIONS, "sample")


def test_the_only_source_needs_no_name() -> None:
    found = caption_truth(mixed().split("train"))
    assert (found.source, found.cells) == ("original", {"d": "Another author."})


def test_several_sources_are_never_mixed_but_refused_with_their_counts() -> None:
    with pytest.raises(UsageError) as raised:
        caption_truth(mixed().split("test"))
    assert str(raised.value) == (
        "The split test of sample has 1 original and 3 composed captions. They are scored apart. "
        "Write --captions original or --captions composed."
    )
    with pytest.raises(UsageError, match=r"^sample has 2 original and 3 composed captions\."):
        caption_truth(mixed())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("translated", r"has no translated caption, only 1 original and 3 composed ones\. Write --captions"),
        ("author", r"no source of captions 'author'"),
    ],
)
def test_a_source_that_is_not_there_is_refused(source: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        caption_truth(mixed().split("test"), source)


@pytest.mark.parametrize("captions", [[], [text(""), text("  ", "composed")]])
@pytest.mark.parametrize("source", [None, "original"])
def test_data_without_captions_are_no_truth(captions: list[dict[str, str]], source: str | None) -> None:
    with pytest.raises(InputError, match=r"split train of sample holds no caption\. Nothing can be scored"):
        caption_truth(dataset_of([row("a", captions=captions)], {}), source)


@settings(max_examples=50, deadline=None)
@given(dataset=tables())
def test_a_truth_holds_the_first_written_caption_of_its_source_on_each_image(dataset: Dataset) -> None:
    for source in CaptionSource:
        wanted = {
            record.id: texts[0]
            for record in dataset
            if (texts := [one.text for one in record.captions if one.source is source and one.text.strip()])
        }
        if wanted:
            assert caption_truth(dataset, source).cells == wanted
        else:
            with pytest.raises((InputError, UsageError)):
                caption_truth(dataset, source)
