"""A training that was killed in any stage, and a folder that holds something else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from captioning_samples_training import (
    TINY,
    Heard,
    Killed,
    captioner,
    detector,
    drawn,
    killer,
    known_backbone,
    same_weights,
    taught,
)

from radcap.captioning.models import CaptionFolder
from radcap.captioning.settings import (
    CaptionTrainSettings,
    DetectorSettings,
    LanguageSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.tokens import train_bpe
from radcap.captioning.training import stages, wording
from radcap.core import UsageError
from radcap.detection.talk import Talk
from radcap.vision.settings import BackboneSettings
from radcap.vision.training import fit, learn
from radcap.vision.weight_files import read_weight_file, write_weight_file

__all__ = ["known_backbone"]

TEXTS = [
    f"{view} CT of the {place}." for view in ("Axial", "Coronal") for place in ("chest", "head", "liver")
]


@pytest.fixture(autouse=True)
def saved_after_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "learn", partial(learn, save_s=0))
    monkeypatch.setattr(wording, "fit", partial(fit, save_s=0))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("texts") / "texts.txt"
    path.write_text("\n".join(TEXTS * 4), encoding="utf-8")
    return str(path)


def course(text: str, *, frozen: bool = False, refit: bool = False, ema: float = 0.0) -> CaptionSystem:
    """Every stage, with dropout, so that the lots of a stage must be drawn again."""
    return captioner(
        decoder={"drop": 0.2},
        backbone=BackboneSettings(name=TINY, frozen=frozen),
        language=LanguageSettings(text=text, epochs=2, batch=8, lr=1e-2),
        train=CaptionTrainSettings(epochs=2, batch=16, lr=1e-2, refit=refit, ema=ema),
        scst=ScstSettings(epochs=2, metric="rouge1", batch=16, lr=1e-3, samples=2, baseline="mean"),
    )


@pytest.fixture(scope="module")
def unbroken(text: str, tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> dict[bool, Path]:
    folder = tmp_path_factory.mktemp("unbroken")
    return {
        frozen: taught(course(text, frozen=frozen), folder / str(frozen)).path for frozen in (False, True)
    }


@pytest.mark.parametrize("frozen", [False, True], ids=["whole", "frozen"])
@pytest.mark.parametrize("stage", ["language", "captions", "scst"])
@pytest.mark.parametrize("epoch", [1, 2])
def test_a_training_killed_in_any_stage_goes_on_to_the_same_weights(
    stage: str, epoch: int, frozen: bool, text: str, unbroken: dict[bool, Path], tmp_path: Path
) -> None:
    system = course(text, frozen=frozen)
    with pytest.raises(Killed):
        taught(system, tmp_path / "m", talk=killer(stage, epoch))
    heard = Heard()
    folder = taught(system, tmp_path / "m", talk=heard.talk)
    done = {"language": 0, "captions": 2, "scst": 4}[stage] + epoch
    assert len(heard.epochs()) == 6 - done
    assert same_weights(folder.weights, unbroken[frozen] / "model.safetensors")
    assert folder.card()["held_out"] == CaptionFolder(unbroken[frozen]).card()["held_out"]
    assert not folder.training.exists()


def test_a_training_killed_in_its_refit_goes_on_there(text: str, tmp_path: Path) -> None:
    system = course(text, refit=True, ema=0.9)
    heard = Heard()

    def tell(told: str) -> None:
        heard.append(told)
        if heard.has("Once more") and heard[-2].startswith("scst"):
            raise Killed

    with pytest.raises(Killed):
        taught(system, tmp_path / "broken", talk=Talk(tell))
    again = Heard()
    broken = taught(system, tmp_path / "broken", talk=again.talk)
    assert set(again.epochs()) <= {"epoch 1 of 1", "epoch 1 of 2", "epoch 2 of 2"}
    assert len(again.epochs()) <= 2
    assert same_weights(broken.weights, taught(system, tmp_path / "unbroken").weights)


def test_the_words_of_a_captioner_go_on_too(tmp_path: Path) -> None:
    system = captioner("words", train=CaptionTrainSettings(epochs=3, batch=16, lr=1e-2, refit=True))

    def tell(told: str) -> None:
        if told.startswith("epoch 2"):
            raise Killed

    with pytest.raises(Killed):
        taught(system, tmp_path / "broken", talk=Talk(tell))
    heard = Heard()
    broken = taught(system, tmp_path / "broken", talk=heard.talk)
    assert heard.epochs()[0] == "epoch 3 of 3"
    assert same_weights(broken.weights, taught(system, tmp_path / "unbroken").weights)


def test_other_settings_or_data_on_an_unfinished_folder_are_refused(text: str, tmp_path: Path) -> None:
    system = captioner()
    with pytest.raises(Killed):
        taught(system, tmp_path / "m", talk=killer("captions", 1))
    for other, data in (
        (captioner("gru"), drawn()),
        (course(text), drawn()),
        (system, drawn(seed=3)),
    ):
        with pytest.raises(UsageError, match="begun with other settings or other data, and is not finished"):
            taught(other, tmp_path / "m", data)
    on_another_device = replace(system, train=replace(system.train, device="cpu", pixels="host"))
    assert taught(on_another_device, tmp_path / "m").is_whole


def test_files_that_settings_name_may_not_change_in_between(tmp_path: Path) -> None:
    """The same path with another text, tokenizer or detector would mix what was learnt from both."""
    text, tokenizer, seer = tmp_path / "texts.txt", tmp_path / "tokenizer.json", tmp_path / "seer"

    def write(texts: list[str], seed: int) -> None:
        text.write_text("\n".join(texts), encoding="utf-8")
        train_bpe(texts, 262 + seed).save(tokenizer)
        if not seed:
            detector(seer)
        else:
            weights = seer / "model.safetensors"
            held = read_weight_file(weights)
            write_weight_file({name: one + 1 for name, one in held.items()}, weights)

    write(TEXTS, 0)
    systems = [
        captioner(language=LanguageSettings(text=str(text), epochs=1)),
        captioner(tokenizer=TokenizerSettings(file=str(tokenizer))),
        captioner(detector=DetectorSettings(str(seer), share=True)),
    ]
    for number, system in enumerate(systems):
        with pytest.raises(Killed):
            taught(system, tmp_path / str(number), talk=killer("captions", 1))
    write([*TEXTS, "MRI of the brain."], 1)
    for number, system in enumerate(systems):
        with pytest.raises(UsageError, match="begun with other settings or other data"):
            taught(system, tmp_path / str(number))


def test_a_finished_folder_and_one_of_other_things_are_left_alone(tmp_path: Path) -> None:
    taught(captioner("frequent"), tmp_path / "m")
    with pytest.raises(UsageError, match=r"holds a finished model. Choose another folder"):
        taught(captioner("frequent"), tmp_path / "m")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds files that are no training of radcap"):
        taught(captioner(), tmp_path / "mine")
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"
