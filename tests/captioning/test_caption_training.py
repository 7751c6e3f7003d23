"""A captioner that writes, from a dataset to its folder: kinds, stages, figures, refusals, learning."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_lm import SIZES, save_model, tiny_model
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

import radcap
from radcap.captioning.models import CaptionAnswers, CaptionFolder
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionLossSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DetectorSettings,
    GenerateSettings,
    LanguageSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training import lessons, stages
from radcap.captioning.training.parts import CaptionParts
from radcap.core import InputError, Missing, UsageError
from radcap.datasets import Dataset
from radcap.detection.talk import Talk
from radcap.vision.settings import AugmentSettings, BackboneSettings, ImageSettings
from radcap.vision.weight_files import read_weight_file

__all__ = ["known_backbone"]

KINDS: dict[str, dict[str, Any]] = {
    "lstm": {"kind": "lstm"},
    "lstm, one look": {"kind": "lstm", "attention": False},
    "gru": {"kind": "gru"},
    "gru, one look": {"kind": "gru", "attention": False},
    "transformer": {"kind": "transformer"},
    "prefix": {"kind": "prefix"},
}
PARTS = ["card.json", "labels.csv", "log.csv", "model.safetensors", "system.toml", "tokenizer.json"]
TEXTS = [
    f"{view} {kind} of the {place} showing a {size} {what}."
    for view in ("Axial", "Coronal")
    for kind in ("CT", "MRI")
    for place in ("chest", "head", "liver")
    for size in ("small", "large")
    for what in ("mass", "cyst")
]


def asked(model: Path, data: Dataset | None = None, split: str = "test") -> CaptionAnswers:
    told = radcap.predict(model, data or drawn(), split=split)
    assert isinstance(told, CaptionAnswers)
    return told


def train(**keys: Any) -> CaptionTrainSettings:
    return CaptionTrainSettings(**({"epochs": 1, "batch": 16, "lr": 1e-2} | keys))


def text_file(folder: Path, texts: list[str] | None = None) -> str:
    path = folder / "texts.txt"
    path.write_text("\n".join(texts or TEXTS), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_decoder_becomes_a_folder_that_answers(kind: str, tmp_path: Path) -> None:
    system = captioner(decoder=KINDS[kind])
    folder = radcap.train(system, drawn(), tmp_path / "m")
    assert isinstance(folder, CaptionFolder)
    assert sorted(one.name for one in folder.path.iterdir()) == PARTS
    assert folder.system() == system
    card = folder.card()
    assert card["decoder"] == KINDS[kind]["kind"]
    assert card["training"] == {"stopped": "epochs"}
    assert (
        card["stages"]["captions"] | {"epochs": 1, "kept_epoch": 0, "held_score": None}
        == card["stages"]["captions"]
    )
    assert card["held_out"]["composed"]["n"] == len(drawn().split("valid"))
    assert card["labels"] == len(folder.labels())
    answers = asked(folder.path)
    assert list(answers.ids) == drawn().split("test").ids
    assert all(answers.captions().values())
    assert answers.captions() == asked(folder.path).captions()


@pytest.mark.parametrize("kind", ["gru", "transformer"])
def test_a_captioner_learns_to_say_which_of_two_images_it_sees(kind: str, tmp_path: Path) -> None:
    system = captioner(kind, train=train(epochs=10, batch=4, lr=1e-2), loss=CaptionLossSettings(0.0))
    folder = taught(system, tmp_path / "m", two_colours())
    data = two_colours().split("test")
    truth = {one.id: one.captions[0].text for one in data}
    assert len(set(truth.values())) == 2
    assert asked(folder.path, two_colours()).captions() == truth
    assert folder.card()["held_out"]["original"]["rouge1"]["value"] == 1.0
    assert folder.card()["stages"]["captions"]["held_loss"] < 0.5


def test_the_folder_is_what_was_judged(tmp_path: Path) -> None:
    """The figures of the card are those of the model that is opened."""
    folder = taught(captioner(), tmp_path / "m", two_colours())
    answers = asked(folder.path, two_colours(), "valid")
    truth = {one.id: one.captions[0].text for one in two_colours().split("valid")}
    report = radcap.score_captions(answers.captions(), truth, edition="radcap", metrics=["rouge1"])
    assert folder.card()["held_out"]["original"]["rouge1"]["value"] == pytest.approx(report.scores[0].value)


@pytest.mark.parametrize(
    "image", [ImageSettings(size=32), ImageSettings(size=32, augment=AugmentSettings(rotate=9.0))]
)
def test_a_frozen_backbone_keeps_its_weights(image: ImageSettings, tmp_path: Path) -> None:
    weights = [
        read_weight_file(
            taught(
                captioner(
                    backbone=BackboneSettings(name=TINY, frozen=True), image=image, train=train(epochs=one)
                ),
                tmp_path / str(one),
            ).weights
        )
        for one in (0, 1)
    ]
    same = {name: torch.equal(weights[0][name], weights[1][name]) for name in weights[0]}
    assert all(equal for name, equal in same.items() if name.startswith("backbone."))
    assert not same["writer.nothing"]


def test_without_a_held_out_split_the_last_epoch_is_kept(tmp_path: Path) -> None:
    heard = Heard()
    system = captioner(data=CaptionDataSettings(held="nowhere"), train=train(epochs=2, refit=True))
    folder = taught(system, tmp_path / "m", talk=heard.talk)
    assert heard.has("There is no split 'nowhere' to choose on")
    card = folder.card()
    assert card["held_out"] is None
    assert card["stages"]["captions"] | {"kept_epoch": 1, "held_loss": None} == card["stages"]["captions"]
    assert not heard.has("Once more")
    assert asked(folder.path).lines


def test_a_score_of_greedy_captions_may_be_watched(tmp_path: Path) -> None:
    heard = Heard()
    system = captioner(train=train(epochs=3, watch="score", score="rouge1"))
    folder = taught(system, tmp_path / "m", two_colours(), heard.talk)
    told = folder.card()["stages"]["captions"]
    assert told["held_score"] is not None
    assert heard.has("held-out rouge1")
    rows = (folder.path / "log.csv").read_text().splitlines()
    scores = [float(line.split(",")[rows[0].split(",").index("held_score")]) for line in rows[1:]]
    assert told["held_score"] == pytest.approx(max(scores))
    if told["kept_epoch"] == 2:  # then what was scored is what answers
        held = folder.card()["held_out"]["original"]["rouge1"]["value"]
        assert told["held_score"] == pytest.approx(held, abs=0.2)


def test_a_refit_learns_from_both_splits_for_the_best_number_of_epochs(tmp_path: Path) -> None:
    heard = Heard()
    scst = ScstSettings(epochs=2, metric="rouge1", batch=16, lr=1e-3)
    system = captioner(train=train(epochs=2, refit=True), scst=scst)
    folder = taught(system, tmp_path / "a", talk=heard.talk)
    plain = taught(replace(system, train=train(epochs=2)), tmp_path / "b")
    kept = {name: one["kept_epoch"] + 1 for name, one in folder.card()["stages"].items()}
    assert heard.has(f"Once more on both splits, for {kept['captions']} epochs")
    for stage in ("captions", "scst"):
        rows = (folder.path / f"log-refit-{stage}.csv").read_text().splitlines()
        assert len(rows) == 1 + kept[stage]
    assert folder.card()["held_out"] == plain.card()["held_out"]  # choices came before
    assert folder.card()["stages"]["captions"]["held_loss"] == plain.card()["stages"]["captions"]["held_loss"]
    assert not same_weights(folder.weights, plain.weights)
    parts = CaptionParts.of(drawn(), system.data)
    told = next(one for one in reversed(heard) if " over " in one)
    assert told.endswith(f"over {len(parts.both)}")


def test_stages_of_a_whole_course(tmp_path: Path) -> None:
    heard = Heard()
    system = captioner(
        language=LanguageSettings(text=text_file(tmp_path), epochs=2, batch=16, lr=1e-2),
        scst=ScstSettings(epochs=1, metric="cider", samples=2, baseline="mean", mix=0.3, batch=16),
        train=train(score="rouge1"),
    )
    folder = taught(system, tmp_path / "m", talk=heard.talk)
    assert list(folder.card()["stages"]) == ["language", "captions", "scst"]
    assert [one for one in heard if " over " in one] == [
        "language: 2 epochs over 46",
        "captions: 1 epoch over 38",
        "scst: 1 epoch over 38",
    ]
    assert heard.has("held-out rouge1")
    assert heard.has("held-out cider")
    assert [one.name for one in sorted(folder.path.glob("log*.csv"))] == [
        "log-first-language.csv",
        "log-first-scst.csv",
        "log.csv",
    ]
    assert asked(folder.path).lines
    assert not folder.training.exists()


def test_reading_text_first_lowers_the_loss_on_text_that_is_held_out(tmp_path: Path) -> None:
    def held(epochs: int) -> list[float]:
        wanted = LanguageSettings(text=text_file(tmp_path), epochs=epochs, batch=8, lr=1e-2)
        folder = taught(captioner("gru", language=wanted, train=train(epochs=0)), tmp_path / str(epochs))
        rows = (folder.path / "log-first-language.csv").read_text().splitlines()
        place = rows[0].split(",").index("held_loss")
        return [float(line.split(",")[place]) for line in rows[1:]]

    losses = held(6)
    assert losses[-1] < 0.7 * losses[0]
    assert losses == sorted(losses, reverse=True)


def test_a_writer_that_has_read_begins_lower(tmp_path: Path) -> None:
    texts = [record.captions[0].text for record in drawn().split("train")]
    reads = LanguageSettings(text=text_file(tmp_path, texts), epochs=6, batch=8, lr=1e-2)
    losses = [
        taught(captioner("gru", language=one, train=train(lr=1e-3)), tmp_path / str(number)).card()["stages"][
            "captions"
        ]
        for number, one in enumerate((LanguageSettings(), reads))
    ]
    assert losses[1]["held_loss"] < losses[0]["held_loss"] - 1


def test_few_texts_leave_none_to_hold_out(tmp_path: Path) -> None:
    wanted = LanguageSettings(text=text_file(tmp_path, TEXTS[:6]), epochs=1)
    folder = taught(captioner(language=wanted), tmp_path / "m")
    assert folder.card()["stages"]["language"]["held_loss"] is None


def test_text_that_is_left_to_whoever_trains_is_missed_aloud(tmp_path: Path) -> None:
    heard = Heard()
    folder = taught(captioner(language=LanguageSettings(epochs=3)), tmp_path / "m", talk=heard.talk)
    assert heard.has("[language] names no text, so none is read before the captions")
    assert list(folder.card()["stages"]) == ["captions"]


def test_what_is_left_out_of_a_text_is_told(tmp_path: Path) -> None:
    heard = Heard()
    path = text_file(
        tmp_path, [*TEXTS, "12", "Radiographie du thorax de face chez une patiente de trente ans."]
    )
    taught(captioner(language=LanguageSettings(text=path, epochs=1)), tmp_path / "m", talk=heard.talk)
    assert heard.has(f"{path}: 1 of 50 captions left out: it has no letters (line 49).")
    assert heard.has("another language than English (line 50)")


def test_self_critical_training_raises_the_reward_of_what_is_written(tmp_path: Path) -> None:
    """A writer that knows both captions by chance learns which is right from the reward alone."""
    system = captioner(
        "gru",
        train=train(epochs=3, lr=2e-2),
        scst=ScstSettings(epochs=6, metric="rouge1", batch=8, lr=5e-3, samples=4, baseline="mean"),
        loss=CaptionLossSettings(0.0),
    )
    folder = taught(system, tmp_path / "m", two_colours())
    rows = (folder.path / "log-first-scst.csv").read_text().splitlines()
    place = rows[0].split(",").index("held_score")
    scores = [float(line.split(",")[place]) for line in rows[1:]]
    assert max(scores) > scores[0]
    assert folder.card()["stages"]["scst"]["held_score"] == max(scores)


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize(
    "condition",
    [
        ConditionSettings(concepts="all", drop=0.2, add=0.2),
        ConditionSettings(concepts="modality"),
        ConditionSettings(neighbours=2),
        ConditionSettings(concepts="all", neighbours=1, prompt="{concepts} as {neighbours}:"),
    ],
    ids=["all", "modality", "neighbours", "prompt"],
)
def test_hints_of_a_detector(condition: ConditionSettings, share: bool, seer: Path, tmp_path: Path) -> None:
    wanted = DetectorSettings(str(seer), share)
    supported = GenerateSettings(method="beam", beams=2, longest=10, supported=True, support=0.3)
    system = captioner(condition=condition, detector=wanted, generate=supported)
    folder = taught(system, tmp_path / "m")
    assert folder.system().detector == DetectorSettings("concepts", share)  # a copy goes with it
    assert folder.concepts.is_whole
    assert folder.card()["detector"]["model"] == str(seer)
    assert folder.has("captions.json") == (condition.neighbours > 0)
    has_own = any(name.startswith("backbone.") for name in read_weight_file(folder.weights))
    assert has_own is not share
    answers = asked(folder.path)
    assert list(answers.ids) == drawn().split("test").ids
    near = [len(one.neighbours) for one in answers.lines]
    assert set(near) == {condition.neighbours}
    remembered = set(drawn().split("train").ids)
    assert {one.image for line in answers.lines for one in line.neighbours} <= remembered


def test_the_words_of_findings_go_with_a_captioner_that_must_be_supported(seer: Path, tmp_path: Path) -> None:
    supported = GenerateSettings(method="greedy", longest=8, supported=True)
    for refit in (False, True):
        system = captioner(detector=DetectorSettings(str(seer)), generate=supported, train=train(refit=refit))
        folder = taught(system, tmp_path / str(refit), two_colours())
        assert folder.read_phrases("findings.json") == {"C0032326": ("pneumothorax",)}


def test_a_refit_with_neighbours_remembers_both_splits(seer: Path, tmp_path: Path) -> None:
    wanted = DetectorSettings(str(seer))
    supported = GenerateSettings(method="greedy", longest=8, supported=True)
    system = captioner(
        condition=ConditionSettings(neighbours=1),
        detector=wanted,
        train=train(refit=True),
        generate=supported,
    )
    folder = taught(system, tmp_path / "m")
    remembered = len(folder.read_list("captions.json"))
    assert remembered == len(drawn().split("train")) + len(drawn().split("valid"))


def test_a_detector_that_is_an_ensemble_is_refused(tmp_path: Path) -> None:
    seer = tmp_path / "two"
    seer.mkdir()
    (seer / "card.json").write_text("{}", encoding="utf-8")
    (seer / "system.toml").write_text(
        'name = "two"\ntask = "concepts"\n[[member]]\nname = "a"\n[[member]]\nname = "b"\n', encoding="utf-8"
    )
    with pytest.raises(UsageError, match=r"is an ensemble. A captioner leans on one network: name a member"):
        taught(captioner(detector=DetectorSettings(str(seer))), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def refusals(folder: Path) -> dict[str, tuple[CaptionSystem, str]]:
    bad = folder / "bad.json"
    bad.write_text("{", encoding="utf-8")
    frozen = BackboneSettings(name=TINY, weights="nowhere.safetensors")
    return {
        "no tokenizer": (
            captioner(tokenizer=TokenizerSettings(file=str(folder / "none.json"))),
            "There is no tokenizer at",
        ),
        "a broken tokenizer": (captioner(tokenizer=TokenizerSettings(file=str(bad))), "bad.json"),
        "no text": (
            captioner(language=LanguageSettings(text=str(folder / "none.txt"), epochs=1)),
            "there is no such file",
        ),
        "no detector": (captioner(detector=DetectorSettings(str(folder / "none"))), "none"),
        "no weights": (captioner(backbone=frozen), "nowhere.safetensors"),
        "no backbone": (captioner(backbone=BackboneSettings(name="tf_efficientnet_lite9")), "lite"),
        "no reward": (captioner(scst=ScstSettings(epochs=1, metric="cidre")), "Nearest is 'cider'"),
        "no score": (captioner(train=train(watch="score", score="rogue1")), "Nearest is 'rouge1'"),
        "no agreement": (captioner(generate=GenerateSettings("mbr", longest=9, metric="rogue1")), "'rouge1'"),
        "no language model": (captioner("lm", decoder={"kind": "lm", "model": "nowhere-1b"}), "nowhere-1b"),
    }


@pytest.mark.parametrize(
    "case",
    [
        *("no tokenizer", "a broken tokenizer", "no text", "no detector", "no weights", "no backbone"),
        *("no reward", "no score", "no agreement", "no language model"),
    ],
)
def test_what_is_named_and_not_there_is_refused_before_the_folder_is_begun(case: str, tmp_path: Path) -> None:
    system, told = refusals(tmp_path)[case]
    with pytest.raises((UsageError, InputError, Missing)) as caught:
        taught(system, tmp_path / "m")
    assert told in str(caught.value)
    assert not (tmp_path / "m").exists()


def test_a_tokenizer_may_be_given_and_goes_with_the_captioner(tmp_path: Path) -> None:
    own = train_bpe(TEXTS, 290)
    own.save(tmp_path / "tokenizer.json")
    folder = taught(captioner(tokenizer=TokenizerSettings(file=str(tmp_path))), tmp_path / "m")
    assert folder.card()["tokens"] == own.size
    assert folder.tokenizer.read_bytes() == (tmp_path / "tokenizer.json").read_bytes()
    assert asked(folder.path).lines
    train_bpe(TEXTS, 280).save(folder.tokenizer)
    with pytest.raises(InputError, match=r"it is not the file that card.json was written for"):
        asked(folder.path)
    card = json.loads((folder.path / "card.json").read_text())
    (folder.path / "card.json").write_text(json.dumps({**card, "files": {}}), encoding="utf-8")
    with pytest.raises(InputError, match=r"it does not fit the files beside it"):
        asked(folder.path)


def test_a_language_model_is_taught_with_a_prompt(seer: Path, tmp_path: Path) -> None:
    model = save_model(tiny_model(max_position_embeddings=256), tmp_path / "lm")
    train_bpe(TEXTS, SIZES["vocab_size"]).save(model / "tokenizer.json")
    decoder = {"kind": "lm", "model": str(model), "lora": 2, "longest": 12, "grid": 2}
    condition = ConditionSettings(concepts="modality", prompt="{concepts}:")
    system = captioner(
        "lm",
        decoder=decoder,
        condition=condition,
        detector=DetectorSettings(str(seer)),
        generate=GenerateSettings(method="greedy", longest=6),
    )
    folder = taught(system, tmp_path / "m")
    assert folder.card()["decoder"] == "lm"
    assert not any("model.layers" in name and "lora" not in name for name in read_weight_file(folder.weights))
    assert asked(folder.path).lines
    other = captioner(
        "lm", decoder={**decoder, "longest": 12}, tokenizer=TokenizerSettings(file=str(seer / "none"))
    )
    with pytest.raises(InputError, match="There is no tokenizer at"):
        taught(other, tmp_path / "o")
    train_bpe([*TEXTS, *[record.captions[0].text for record in drawn()]], 400).save(tmp_path / "large.json")
    large = TokenizerSettings(file=str(tmp_path / "large.json"))
    with pytest.raises((InputError, UsageError), match=r"token"):
        taught(replace(system, tokenizer=large), tmp_path / "large")


def test_images_that_will_not_decode_are_left_out_counted_and_named(tmp_path: Path) -> None:
    data = drawn(60, broken=2)
    planted = sorted(
        one for one, fault in zip(data.ids, data.column("planted").to_pylist(), strict=True) if fault
    )
    heard = Heard()
    system = captioner(data=CaptionDataSettings(fit="test"), train=train(batch=4))
    folder = taught(system, tmp_path / "m", data, heard.talk)
    assert heard.has("Left out, for they will not decode: 2 images")
    assert folder.card()["data"]["refused"] == planted
    answers = asked(folder.path, data)
    assert set(answers.refused) == set(planted)
    assert {answers.run(data.split("test").ids).cells[one] for one in planted} == {"Radiology image."}


def test_a_loss_that_is_no_number_ends_with_the_last_good_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = len(drawn().split("train")) // 16
    left = [steps]
    real = lessons.caption_loss

    def spoilt(logits: torch.Tensor, targets: torch.Tensor, smoothing: float = 0.0) -> torch.Tensor:
        if logits.requires_grad:
            left[0] -= 1
        return real(logits, targets, smoothing) * (1.0 if left[0] >= 0 else float("nan"))

    monkeypatch.setattr(lessons, "caption_loss", spoilt)
    heard = Heard()
    folder = taught(captioner(train=train(epochs=5)), tmp_path / "m", talk=heard.talk)
    assert heard.has("captions: the loss became no number; the last good weights are kept. Lower lr.")
    assert folder.card()["training"] == {"stopped": "no number"}
    assert folder.card()["stages"]["captions"]["epochs"] == 1
    assert all(value.isfinite().all() for value in read_weight_file(folder.weights).values())
    left[0] = 0
    with pytest.raises(UsageError, match="no number in the first epoch"):
        taught(captioner(), tmp_path / "n")
    assert not (tmp_path / "n" / "card.json").exists()


def test_the_curves_go_to_tensorboard_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[tuple[str, int]] = []
    monkeypatch.setattr(
        stages, "board_writer", lambda folder: lambda row: rows.append((folder.name, row.epoch))
    )
    taught(captioner(train=train(epochs=2)), tmp_path / "m", talk=Talk(board=tmp_path / "board"))
    assert rows == [("first-captions", 0), ("first-captions", 1)]


def test_only_the_first_of_several_processes_writes_and_talks(
    seer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from radcap.captioning.training import system_training
    from radcap.vision.training import Place

    monkeypatch.setattr(system_training, "pick_place", lambda *_: Place(torch.device("cpu"), rank=1))
    heard = Heard()
    for kind in ("transformer", "words", "nearest", "frequent", "random", "template"):
        system = captioner(kind, detector=DetectorSettings(str(seer) if kind == "template" else ""))
        taught(system, tmp_path / kind, talk=heard.talk)
        assert not (tmp_path / kind / "card.json").exists()
    assert not heard


def test_the_same_seed_gives_the_same_captioner_and_another_seed_another(tmp_path: Path) -> None:
    folders = [
        taught(captioner(train=train(seed=seed)), tmp_path / str(number))
        for number, seed in enumerate((0, 0, 1))
    ]
    assert same_weights(folders[0].weights, folders[1].weights)
    assert not same_weights(folders[0].weights, folders[2].weights)
