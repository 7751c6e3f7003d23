"""A dataset that is remembered in place of the training split, and captions of so many words."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from captioning_samples_training import CPU, Heard, captioner, drawn, known_backbone, taught
from dataset_samples import dataset_of, noise, png, row
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import radcap
from radcap.captioning.models import CaptionAnswers, CaptionFolder
from radcap.captioning.settings import CaptionDataSettings, CaptionTrainSettings
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.texts import Reason, learnable_captions
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.memories import shared_images
from radcap.captioning.training.parts import CaptionParts
from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.datasets import Dataset
from radcap.datasets.leaks import Evidence
from radcap.detection.talk import SILENT

__all__ = ["known_backbone"]


def scaled(seed: int) -> np.ndarray:
    return np.asarray(Image.fromarray(noise(seed)).resize((96, 64), Image.Resampling.BICUBIC))


def asked() -> Dataset:
    """Two images to learn from, one held out and two of a test."""
    splits = {"a": "train", "b": "train", "c": "valid", "d": "test", "e": "test"}
    rows = [row(name, split, captions=f"Caption of {name}.") for name, split in splits.items()]
    return dataset_of(rows, {f"{name}.png": png(noise(place)) for place, name in enumerate(splits)})


def memory_of() -> Dataset:
    """Of seven images five are among those that are asked about, each known by something else."""
    told = {
        "c": (png(noise(50)), "The id of what is held out."),
        "file": (png(noise(3)), "The same file."),
        "pixels": (png(noise(4), optimize=True, compress_level=0), "The same pixels."),
        "near": (png(scaled(3)), "Another size of it."),
        "mirrored": (png(noise(4)[:, ::-1]), "Its mirror image."),
        "learnt": (png(noise(0)), "A learnt image."),
        "new": (png(noise(60)), "A new image."),
    }
    rows = [row(name, "test", captions=text) for name, (_, text) in told.items()]
    return dataset_of(rows, {f"{name}.png": data for name, (data, _) in told.items()}, "others")


def test_what_is_asked_about_is_found_by_id_and_by_pixels() -> None:
    parts = CaptionParts.of(asked(), CaptionDataSettings())
    assert parts.others is not None
    assert parts.others.ids == ["c", "d", "e"]
    memory = memory_of()
    found = {
        evidence: [memory.ids[place] for place in places]
        for evidence, places in shared_images(memory, parts.others).items()
    }
    assert found[Evidence.ID] == ["c"]
    assert found[Evidence.FILE] == ["file"]
    assert found[Evidence.PIXELS] == ["file", "pixels"]
    assert set(found[Evidence.NEAR]) >= {"near", "mirrored"}
    assert not set(found[Evidence.NEAR]) & {"learnt", "new", "c"}


def test_where_nothing_is_asked_about_nothing_is_shared() -> None:
    none = asked().split("train").filter(np.zeros(2, np.bool_))
    assert list(shared_images(memory_of(), none)) == [Evidence.ID]
    assert not len(shared_images(memory_of(), none)[Evidence.ID])


@pytest.mark.parametrize("refit", [False, True])
def test_only_what_is_not_asked_about_is_remembered(refit: bool, tmp_path: Path) -> None:
    memory_of().save(tmp_path / "memory")
    heard = Heard()
    data = CaptionDataSettings(memory=str(tmp_path / "memory"))
    system = captioner("nearest", data=data, train=CaptionTrainSettings(refit=refit))
    folder = taught(system, tmp_path / "m", asked(), heard.talk)
    assert folder.read_list("captions.json") == ("A learnt image.", "A new image.")
    assert heard.has("2 images of others remembered")
    assert heard.has("Left out of it, for they are among those that are asked about: 5 images (same id 1")
    told = folder.card()["memory"]
    assert (told["images"], told["left_out"], told["shared"]["id"]) == (2, 5, 1)
    answers = radcap.predict(folder.path, asked(), split="test")
    assert isinstance(answers, CaptionAnswers)
    assert set(answers.captions().values()) <= {"A learnt image.", "A new image."}


def test_a_memory_that_shares_nothing_is_remembered_whole(tmp_path: Path) -> None:
    rows = [row("x", captions="One thing."), row("y", captions="Another."), row("z", captions="")]
    dataset_of(rows, {f"{name}.png": png(noise(70 + place)) for place, name in enumerate("xyz")}).save(
        tmp_path / "memory"
    )
    heard = Heard()
    system = captioner("nearest", data=CaptionDataSettings(memory=str(tmp_path / "memory")))
    folder = taught(system, tmp_path / "m", asked(), heard.talk)
    assert folder.card()["memory"]["shared"] == {}
    assert heard.has("1 of 3 captions left out")
    assert not heard.has("Left out of it")


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        ("asked", UsageError, "has no caption to remember. .*asked about: 3 images .*Name another"),
        ("nowhere", InputError, "nowhere"),
    ],
)
def test_a_memory_of_which_nothing_is_left_is_refused_before_the_folder_is_begun(
    name: str, error: Any, told: str, tmp_path: Path
) -> None:
    asked().filter(np.array([False, False, True, True, True])).save(tmp_path / "asked")
    system = captioner("nearest", data=CaptionDataSettings(memory=str(tmp_path / name)))
    with pytest.raises(error, match=told):
        taught(system, tmp_path / "m", asked())
    assert not (tmp_path / "m").exists()


def test_another_memory_is_another_training(tmp_path: Path) -> None:
    def fingerprint(dataset: Dataset) -> str:
        shutil.rmtree(tmp_path / "memory", ignore_errors=True)
        dataset.save(tmp_path / "memory")
        system = captioner("nearest", data=CaptionDataSettings(memory=str(tmp_path / "memory")))
        parts = CaptionParts.of(asked(), system.data)
        maker = CaptionMaker(system, parts, CaptionFolder(tmp_path / "m"), CPU, SILENT, {})
        return maker.fingerprint

    assert fingerprint(memory_of()) == fingerprint(memory_of())
    assert fingerprint(memory_of()) != fingerprint(memory_of().filter(np.array([True] * 6 + [False])))


def test_only_the_nearest_remember(tmp_path: Path) -> None:
    text = 'name = "x"\ntask = "captions"\n[data]\nmemory = "others"\n[decoder]\nkind = "frequent"'
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml(text))
    assert "memory is what the kind 'nearest' remembers" in caught.value.issues[0].message


@given(
    st.lists(st.integers(1, 9), max_size=12),
    st.integers(0, 6),
    st.one_of(st.just(0), st.integers(6, 8)),
    st.integers(3, 9),
)
def test_captions_of_so_many_words_are_learnt(lengths: list[int], least: int, most: int, cut: int) -> None:
    captions = [" ".join(["chest"] + [f"w{n}x" for n in range(1, length)]) for length in lengths]
    data = CaptionDataSettings(least=least, most=most, words=cut, english=False)
    told = learnable_captions(captions, data)
    wanted = [place for place, length in enumerate(lengths) if least <= length <= (most or length)]
    assert list(told.kept) == wanted
    assert all(len(told.kept[place].split()) == min(lengths[place], cut) for place in wanted)
    counts = {one.reason: one.count for one in told.findings}
    assert counts.get(Reason.SHORT, 0) == sum(length < least for length in lengths)
    assert counts.get(Reason.LONG, 0) == sum(0 < most < length for length in lengths)


def test_the_length_of_captions_narrows_both_splits() -> None:
    whole = CaptionParts.of(drawn(), CaptionDataSettings())
    lengths = sorted(len(one.split()) for one in whole.fit.captions)
    middle = lengths[len(lengths) // 2]
    short = CaptionParts.of(drawn(), CaptionDataSettings(most=middle))
    long = CaptionParts.of(drawn(), CaptionDataSettings(least=middle + 1))
    assert sorted([*short.fit.images.ids, *long.fit.images.ids]) == sorted(whole.fit.images.ids)
    assert short.held is not None
    assert all(len(one.split()) <= middle for one in short.held.captions)
    assert any("more words than are wanted" in one for one in short.fit.told)
