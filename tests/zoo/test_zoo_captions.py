"""The captioners that ship: what lies in their folders, and what the small one writes about real images."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import radcap
from radcap.captioning.grammar import words_of
from radcap.captioning.models import CaptionAnswers, CaptionFolder
from radcap.captioning.naming import claims
from radcap.captioning.texts import oddities
from radcap.core import MODALITIES, Missing, Task
from radcap.formats import Expected, Reader, write_run
from radcap.zoo import find

IMAGES = 10


def size(name: str) -> int:
    return sum(file.stat().st_size for file in find(name).iterdir())


@pytest.fixture(scope="module")
def images():
    whole = radcap.load_dataset("radiology-open", split="test")
    return whole.take(list(range(0, len(whole), len(whole) // IMAGES))[:IMAGES])


@pytest.fixture(scope="module")
def answers(images) -> CaptionAnswers:
    found = radcap.predict("zoo:captions", images, device="cpu")
    assert isinstance(found, CaptionAnswers)
    return found


def test_they_are_small() -> None:
    assert size("zoo:captions") < 4_000_000
    assert size("zoo:captions-lm") < 6_000_000


def test_a_run_is_valid_and_readable(answers: CaptionAnswers, images, tmp_path: Path) -> None:
    out = tmp_path / "run.zip"
    write_run(answers.run(images.ids, "run"), out, edition="2026")
    checked = Reader(out, Task.CAPTIONS, "2026", Expected.of(images.ids), strict=True).check()
    assert checked.ok, checked.issues
    for caption in answers.captions().values():
        assert caption[0].isupper() or caption[0].isdigit()
        assert caption.endswith(".")
        assert not oddities(caption)
        assert 1 <= len(words_of(caption)) <= 55


def test_nothing_is_claimed_that_the_detector_does_not_support(answers: CaptionAnswers) -> None:
    for line in answers.lines:
        assert claims(line.caption) <= line.concepts.keys()
        assert len([cui for cui in line.concepts if cui in MODALITIES]) == 1
        assert all(p >= 0.4 for cui, p in line.concepts.items() if cui not in MODALITIES)


def test_the_captions_are_about_the_image(answers: CaptionAnswers, images) -> None:
    """Nine in ten name the true modality, or none."""
    manual = dict(zip(images.ids, images.column("cui_manual").to_pylist(), strict=True))
    wrong = [one for one in answers.lines if (claims(one.caption) & MODALITIES.keys()) - {*manual[one.image]}]
    assert len(wrong) <= 1
    assert len({one.caption for one in answers.lines}) >= 5


@pytest.mark.parametrize("name", ["captions", "captions-lm"])
def test_cards_hold_figures_with_intervals_and_limits(name: str) -> None:
    card = json.loads((find(f"zoo:{name}") / "card.json").read_text(encoding="utf-8"))
    assert card["licence"] == "CC BY 4.0"
    assert card["limits"]
    assert card["examples"]["good"]
    assert card["examples"]["bad"]
    for source in card["test"].values():
        for figures in source.values():
            for metric, one in figures.items():
                assert metric == "n" or one["low"] <= one["value"] <= one["high"]
    assert card["support"]["claims_unsupported"] == 0
    assert card["modality"]["captioner_wrong"] <= card["modality"]["detector_wrong"]
    tests = card["tests"]
    for metric in ("rouge1", "cider", "concepts"):
        assert tests[metric]["frequent"]["low"] > 0


def test_no_file_of_the_trainer_is_named() -> None:
    for name in ("zoo:captions", "zoo:captions-lm"):
        system = CaptionFolder(find(name)).system()
        assert system.language.text == ""
        assert system.detector.model == "zoo:concepts"
        assert system.backbone.weights in ("none", "package")


def test_the_larger_one_says_how_to_get_its_language_model(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    with pytest.raises(Missing, match=r"radcap models get captions-lm"):
        radcap.predict("zoo:captions-lm", "radiology-open", split="test", device="cpu")
