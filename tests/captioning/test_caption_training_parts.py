"""Datasets whose captions are bad: what is left out is named and counted, and what is nothing is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from captioning_samples_training import Heard, captioner, drawn, known_backbone, taught
from dataset_samples import dataset_of, row

from radcap.captioning.settings import CaptionDataSettings
from radcap.captioning.training.parts import CaptionParts
from radcap.core import UsageError
from radcap.datasets import Dataset

__all__ = ["known_backbone"]

GOOD = "Axial CT of the chest showing a nodule."
LONG = "The image shows a nodule of the lung. " * 100
FRENCH = "Radiographie du thorax de face montrant une opacité du lobe supérieur droit chez cette patiente."
SIGNS = "CT\x00 of\x07 the\u200b chest.\x1b"


def given(text: str, source: str = "original", language: str = "") -> list[dict[str, str]]:
    return [{"text": text, "source": source, "language": language}]


def odd() -> Dataset:
    """One good caption in each split, and one of each fault in train."""
    told: list[tuple[str, str, Any]] = [
        ("good", "train", given(GOOD)),
        ("long", "train", given(LONG)),
        ("french", "train", given(FRENCH)),
        ("german", "train", given("CT of the chest.", language="de")),
        ("signs", "train", given(SIGNS)),
        ("empty", "train", given("")),
        ("blank", "train", given(" \n\t ")),
        ("numbers", "train", given("12 / 34.")),
        ("none", "train", []),
        ("held", "valid", given("Chest X-ray.")),
        ("unheld", "valid", given("")),
        ("asked", "test", given("MRI.")),
    ]
    return dataset_of(
        [row(name, split, captions=captions, cui=["C0040405"]) for name, split, captions in told]
    )


def test_what_is_not_learnt_is_left_out_and_named_under_one_reason() -> None:
    parts = CaptionParts.of(odd(), CaptionDataSettings())
    assert parts.fit.images.ids == ["good", "long", "signs"]
    good, long, signs = parts.fit.captions
    assert good == GOOD
    assert len(long.split()) <= 200
    assert long.endswith("lung.")
    assert signs == "CT of the chest."
    assert len(parts.fit.told) == 5
    told = " ".join(parts.fit.told)
    for words in (
        "1 of 9 captions left out: there is none, or none of the source that is asked for (none).",
        "2 of 9 captions left out: nothing is written in it (empty, blank).",
        "1 of 9 captions left out: it has no letters (numbers).",
        "2 of 9 captions left out: it is in another language than English (french, german).",
        "1 of 9 captions cut: it has too many words (long).",
    ):
        assert words in told
    assert parts.held is not None
    assert parts.held.images.ids == ["held"]


def test_other_languages_may_be_learnt_and_words_counted_otherwise() -> None:
    parts = CaptionParts.of(odd(), CaptionDataSettings(english=False, words=1000))
    assert parts.fit.images.ids == ["good", "long", "french", "german", "signs"]
    assert len(parts.fit.captions[1].split()) == 800
    assert not any("cut" in one for one in parts.fit.told)


@pytest.mark.parametrize("kind", ["transformer", "words", "nearest", "frequent"])
def test_training_tells_it_and_the_card_says_it(kind: str, tmp_path: Path) -> None:
    heard = Heard()
    folder = taught(captioner(kind), tmp_path / "m", odd(), heard.talk)
    assert heard.has("3 images with captions to learn from")
    assert heard.has("(french, german)")
    data = json.loads((tmp_path / "m" / "card.json").read_text())["data"]
    assert data["train"] == 3
    assert data["held_out"] == 1
    assert data["captions"] == {"original": 4}
    assert any("(empty, blank)" in one for one in data["left_out"])
    assert any(
        "1 of 2 captions left out: nothing is written in it (unheld)." in one for one in data["left_out"]
    )
    assert folder.is_whole


def test_a_dataset_without_a_caption_is_refused_and_nothing_is_begun(tmp_path: Path) -> None:
    rows = [row("a", captions=[]), row("b", captions=given(" ")), row("c", "valid", captions=given(GOOD))]
    with pytest.raises(UsageError) as caught:
        taught(captioner(), tmp_path / "m", dataset_of(rows))
    told = str(caught.value)
    assert "sample has no caption to learn from in the split 'train'." in told
    assert "there is none" in told
    assert "(a)" in told
    assert "(b)" in told
    assert "Look at [data] captions, english and free_only." in told
    assert not (tmp_path / "m").exists()


def test_a_source_that_is_asked_for_is_the_only_one_learnt_from() -> None:
    both = [*given("Made up CT.", "composed"), *given(GOOD)]
    rows = [row("a", captions=both), row("b", captions=given("Seen by a machine.", "generated"))]
    found = {
        source: CaptionParts.of(dataset_of(rows), CaptionDataSettings(captions=source)).fit
        for source in ("any", "original", "composed", "generated")
    }
    assert {source: one.captions for source, one in found.items()} == {
        "any": ("Made up CT.", "Seen by a machine."),
        "original": (GOOD,),
        "composed": ("Made up CT.",),
        "generated": ("Seen by a machine.",),
    }
    assert found["any"].sources == ("composed", "generated")
    with pytest.raises(UsageError, match="no caption to learn from"):
        CaptionParts.of(dataset_of(rows), CaptionDataSettings(captions="translated"))


def test_labels_may_be_missing_and_a_held_split_too() -> None:
    bare = CaptionParts.of(dataset_of([row("a", captions=GOOD), row("b", "valid")]), CaptionDataSettings())
    assert bare.labels == ()
    assert bare.held is None
    assert bare.both is bare.fit
    assert bare.to_json() | {"train": 1, "held_out": 0, "captions": {"original": 1}} == bare.to_json()
    labelled = CaptionParts.of(odd(), CaptionDataSettings())
    assert labelled.labels == ("C0040405",)
    assert labelled.both.images.ids == ["good", "long", "signs", "held"]
    assert labelled.both.captions[-1] == "Chest X-ray."
    assert labelled.both.sources == ("original",) * 4


def test_an_unknown_split_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"train"):
        CaptionParts.of(odd(), CaptionDataSettings(fit="trian"))


def test_images_that_do_not_decode_take_their_captions_with_them() -> None:
    parts = CaptionParts.of(odd(), CaptionDataSettings())
    only = parts.fit.only(("signs", "good"))
    assert only.images.ids == ["signs", "good"]
    assert only.captions == ("CT of the chest.", GOOD)
    assert len(only) == 2


def test_a_fingerprint_is_that_of_settings_images_captions_and_labels() -> None:
    system, data = captioner(), CaptionDataSettings()
    first = CaptionParts.of(drawn(), data)
    assert first.fingerprint(system) == CaptionParts.of(drawn(), data).fingerprint(system)
    others = {
        first.fingerprint(system),
        first.fingerprint(captioner("gru")),
        CaptionParts.of(drawn(seed=1), data).fingerprint(system),
        CaptionParts.of(drawn(), CaptionDataSettings(words=3)).fingerprint(system),
        CaptionParts.of(drawn(), CaptionDataSettings(top=3)).fingerprint(system),
        CaptionParts.of(drawn(), CaptionDataSettings(held="test")).fingerprint(system),
        CaptionParts.of(drawn(), CaptionDataSettings(held="nowhere")).fingerprint(system),
    }
    assert len(others) == 7
