"""Captioners that write nothing of their own: words, neighbours, the commonest, the template."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_training import (
    TINY,
    Heard,
    captioner,
    detector,
    drawn,
    known_backbone,
    same_weights,
    taught,
    two_colours,
)
from dataset_samples import dataset_of, row

import radcap
from radcap.captioning.grammar import facts_of, sentence
from radcap.captioning.models import CaptionAnswers, open_captioner
from radcap.captioning.models.plain_models import RandomModel
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    DetectorSettings,
    PostSettings,
)
from radcap.captioning.training import wording
from radcap.captioning.training.wording import caption_words, word_labels
from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.detection.models import open_model
from radcap.detection.talk import Talk
from radcap.vision.losses import make_loss
from radcap.vision.settings import BackboneSettings
from radcap.vision.weight_files import read_weight_file

__all__ = ["known_backbone"]


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


def asked(model: Path, data: Dataset | None = None, split: str = "test") -> CaptionAnswers:
    told = radcap.predict(model, data or drawn(), split=split)
    assert isinstance(told, CaptionAnswers)
    return told


@pytest.mark.parametrize(
    ("kind", "with_detector"),
    [
        *((kind, False) for kind in ("words", "nearest", "frequent", "random")),
        *((kind, True) for kind in ("words", "nearest", "frequent", "template")),
    ],
)
def test_every_plain_kind_becomes_a_folder_that_answers(
    kind: str, with_detector: bool, seer: Path, tmp_path: Path
) -> None:
    tables: dict[str, Any] = {"detector": DetectorSettings(str(seer))} if with_detector else {}
    folder = radcap.train(captioner(kind, **tables), drawn(), tmp_path / "m")
    card = folder.card()
    assert card["decoder"] == kind
    assert card["held_out"]["composed"]["n"] == len(drawn().split("valid"))
    assert (card["detector"] is not None) is with_detector
    answers = asked(folder.path)
    assert list(answers.ids) == drawn().split("test").ids
    assert all(answers.captions().values())
    assert not (folder.path / "training").exists()


def test_words_are_those_of_two_captions_or_more() -> None:
    assert word_labels(["CT of the chest.", "ct, of a lung", "T2-weighted MRI"]) == ("ct", "of")
    assert caption_words("T2-weighted, patient's CT/MR 5mm_x.") == {
        "t2-weighted",
        "patient's",
        "ct/mr",
        "5mm",
        "x",
    }


def test_without_a_word_that_can_be_learnt_training_is_refused(tmp_path: Path) -> None:
    data = dataset_of([row("a", captions="One thing."), row("b", captions="Another image.")])
    with pytest.raises(UsageError, match="No word stands in two training captions"):
        taught(captioner("words"), tmp_path / "m", data)


def test_words_that_are_learnt_are_those_of_the_image(tmp_path: Path) -> None:
    system = captioner("words", decoder={"words": 3}, train=CaptionTrainSettings(epochs=8, batch=4, lr=2e-2))
    folder = taught(system, tmp_path / "m", two_colours())
    for record in two_colours().split("test"):
        line = next(one for one in asked(folder.path, two_colours()).lines if one.image == record.id)
        found = {one.text for one in line.drafts}
        assert len(found) == 3
        assert found <= caption_words(record.captions[0].text)
        scores = [one.score for one in line.drafts]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_refit_of_words_learns_from_both_splits(frozen: bool, tmp_path: Path) -> None:
    backbone = BackboneSettings(name=TINY, frozen=frozen)
    train = CaptionTrainSettings(epochs=3, batch=16, lr=1e-2)
    plain = taught(captioner("words", backbone=backbone, train=train), tmp_path / "a")
    heard = Heard()
    again = taught(
        captioner("words", backbone=backbone, train=replace(train, refit=True)),
        tmp_path / "b",
        talk=heard.talk,
    )
    kept = again.card()["stages"]["words"]["kept_epoch"] + 1
    assert heard.epochs()[3:] == [f"epoch {one + 1} of {kept}" for one in range(kept)]
    assert heard.has("held-out F1")
    assert again.card()["held_out"] == plain.card()["held_out"]
    assert not same_weights(again.weights, plain.weights)
    assert again.read_list("words.json") == plain.read_list("words.json")


def test_words_without_a_held_out_split(tmp_path: Path) -> None:
    folder = taught(captioner("words", data=CaptionDataSettings(held="nowhere")), tmp_path / "m")
    assert folder.card()["held_out"] is None
    assert asked(folder.path).lines


def test_words_whose_loss_becomes_no_number_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [len(drawn().split("train")) // 16]

    def spoilt(settings: Any, shares: Any) -> Any:
        real = make_loss(settings, shares)

        def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
            left[0] -= 1
            return real(logits, labels) * (1.0 if left[0] >= 0 else float("nan"))

        return loss

    monkeypatch.setattr(wording, "make_loss", spoilt)
    heard = Heard()
    train = CaptionTrainSettings(epochs=4, batch=16, lr=1e-2)
    folder = taught(captioner("words", train=train), tmp_path / "m", talk=heard.talk)
    assert heard.has("words: the loss became no number; the last good weights are kept. Lower lr.")
    assert folder.card()["training"] == {"stopped": "no number"}
    assert folder.card()["stages"]["words"]["epochs"] == 1


def test_the_nearest_image_lends_its_caption(tmp_path: Path) -> None:
    """An image of the training set is its own nearest."""
    folder = taught(captioner("nearest"), tmp_path / "m")
    truth = {record.id: record.captions[0].text for record in drawn().split("train")}
    answers = asked(folder.path, split="train")
    assert answers.captions() == truth
    assert all(one.neighbours[0].similarity == pytest.approx(1.0, abs=1e-3) for one in answers.lines)
    assert folder.card()["images"] == len(truth)


@pytest.mark.parametrize("share", [True, False])
def test_neighbours_by_the_eyes_of_a_detector(share: bool, seer: Path, tmp_path: Path) -> None:
    wanted = DetectorSettings(str(seer), share)
    folder = taught(captioner("nearest", decoder={"neighbours": 3}, detector=wanted), tmp_path / "m")
    assert folder.weights.exists() is not share
    assert {len(one.neighbours) for one in asked(folder.path).lines} == {3}
    line = asked(folder.path).lines[0]
    assert line.caption in {one.caption for one in line.neighbours}


def test_after_a_refit_both_splits_are_remembered_and_the_figures_are_of_before(tmp_path: Path) -> None:
    train = CaptionTrainSettings(refit=True)
    told: list[tuple[str, int]] = []
    talk = Talk(progress=lambda name, done: told.append((name, done)))
    again = taught(captioner("nearest", train=train), tmp_path / "a", talk=talk)
    plain = taught(captioner("nearest"), tmp_path / "b")
    both = len(drawn().split("train")) + len(drawn().split("valid"))
    assert (again.card()["images"], plain.card()["images"]) == (both, len(drawn().split("train")))
    assert again.card()["held_out"] == plain.card()["held_out"]
    assert again.card()["held_out"]["composed"]["rouge1"]["value"] < 1
    assert max(done for _, done in told) == both


def test_nothing_to_remember_is_refused(tmp_path: Path) -> None:
    data = drawn(60, broken=3)
    broken = [place for place, fault in enumerate(data.column("planted").to_pylist()) if fault]
    system = captioner("nearest", data=CaptionDataSettings(fit="test"))
    with pytest.raises(UsageError, match=r"No image of synthetic can be read. See radcap dataset check"):
        taught(system, tmp_path / "m", data.take(broken))


def test_images_that_will_not_decode_are_not_remembered(tmp_path: Path) -> None:
    data = drawn(60, broken=2)
    folder = taught(captioner("nearest", data=CaptionDataSettings(fit="test")), tmp_path / "m", data)
    assert folder.card()["images"] == len(data.split("test")) - 2


def often() -> Dataset:
    told = ["CT."] * 2 + ["MRI."] * 3 + ["X-ray."]
    rows = [row(str(number), captions=text) for number, text in enumerate(told)]
    return dataset_of([*rows, *(row(f"v{number}", "valid", captions="CT.") for number in range(4))])


@pytest.mark.parametrize(("refit", "said", "times"), [(False, "MRI.", 3), (True, "CT.", 6)])
def test_the_commonest_caption_is_said_of_all(refit: bool, said: str, times: int, tmp_path: Path) -> None:
    system = captioner("frequent", train=CaptionTrainSettings(refit=refit))
    folder = taught(system, tmp_path / "m", often())
    assert folder.read_list("captions.json") == (said,)
    assert folder.card()["times"] == times
    assert set(asked(folder.path, often(), "valid").captions().values()) == {said}
    # what is held out had no say in what it was judged by
    assert folder.card()["held_out"]["original"]["rouge1"]["value"] == 0.0


def test_the_commonest_without_a_held_out_split(tmp_path: Path) -> None:
    system = captioner(
        "frequent", data=CaptionDataSettings(held="nowhere"), train=CaptionTrainSettings(refit=True)
    )
    folder = taught(system, tmp_path / "m")
    assert folder.card()["held_out"] is None
    counts = Counter(record.captions[0].text for record in drawn().split("train"))
    assert counts[folder.read_list("captions.json")[0]] == max(counts.values())


def test_a_template_says_what_the_detector_decides(seer: Path, tmp_path: Path) -> None:
    system = captioner("template", detector=DetectorSettings(str(seer)), post=PostSettings(words=200))
    folder = taught(system, tmp_path / "m")
    told = open_model(seer).answers(drawn().split("test"))
    names = folder.concepts.names()
    for line, cuis in zip(asked(folder.path).lines, told.concepts(), strict=True):
        plain = sentence(facts_of(cuis, names))
        assert line.caption == (plain or "Radiology image.")
        assert set(line.concepts) == set(cuis)
    bare = replace(system, data=CaptionDataSettings(held="nowhere"))
    assert taught(bare, tmp_path / "bare").card()["held_out"] is None


def test_a_detector_of_the_zoo_is_leant_on_and_not_copied(
    seer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.captioning.models import folder as folders
    from radcap.captioning.training import maker
    from radcap.zoo import find

    def found(name: Any) -> Path:
        return seer if str(name) == "zoo:seer" else find(name)

    for module in (folders, maker):
        monkeypatch.setattr(module, "find", found)
    folder = taught(captioner("template", detector=DetectorSettings("zoo:seer")), tmp_path / "m")
    assert not folder.concepts.path.exists()
    assert folder.system().detector.model == "zoo:seer"
    assert len(folder.card()["detector"]["weights"]) == 64
    assert asked(folder.path).lines


def test_a_frozen_backbone_of_a_package_is_not_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.vision.backbones import weights

    monkeypatch.setattr(weights, "load_weights", lambda *_: None)
    backbone = BackboneSettings(name=TINY, weights="package", frozen=True)
    nearest = taught(captioner("nearest", backbone=backbone), tmp_path / "a")
    assert not nearest.weights.exists()
    words = taught(captioner("words", backbone=backbone), tmp_path / "b")
    assert {name.partition(".")[0] for name in read_weight_file(words.weights)} == {"head"}
    written = taught(captioner(backbone=backbone), tmp_path / "c")
    assert not any(name.startswith("backbone") for name in read_weight_file(written.weights))


def test_a_random_caption_is_the_lot_of_the_image_alone(tmp_path: Path) -> None:
    train = CaptionTrainSettings(seed=3)
    folder = taught(captioner("random", train=train), tmp_path / "m")
    captions = folder.read_list("captions.json")
    assert captions == tuple(record.captions[0].text for record in drawn().split("train"))
    whole = asked(folder.path, split="train")
    half = asked(folder.path, drawn().take(range(len(drawn()) - 1, -1, -2)), split="train")
    assert half.captions() == {one: whole.captions()[one] for one in half.ids}
    assert set(whole.captions().values()) <= set(captions)
    assert len(set(whole.captions().values())) > 5
    other = taught(captioner("random", train=replace(train, seed=4, refit=True)), tmp_path / "o")
    assert asked(other.path, split="train").captions() != whole.captions()
    both = len(drawn().split("train")) + len(drawn().split("valid"))
    assert len(other.read_list("captions.json")) == other.card()["images"] == both
    assert other.card()["held_out"]["composed"]["n"] == len(drawn().split("valid"))
    model = open_captioner(folder.path)
    assert model.labels == ()
    told: list[tuple[str, int]] = []
    model.answers(drawn().split("test"), lambda name, done: told.append((name, done)))
    assert told == [("images", len(drawn().split("test")))]


def test_each_caption_is_as_likely_as_another() -> None:
    model = RandomModel(("A.", "B.", "C.", "D."), 0, PostSettings())
    counts = Counter(model.drawn(f"image_{number}") for number in range(4000))
    assert all(count == pytest.approx(1000, abs=100) for count in counts.values())
