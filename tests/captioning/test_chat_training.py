"""Chats that learn: from a system to a folder that answers as the trained model did."""

from __future__ import annotations

import builtins
import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_training import (
    CPU,
    Heard,
    Killed,
    detector,
    drawn,
    killer,
    known_backbone,
    same_weights,
    taught,
    two_colours,
)
from chat_samples import MAKERS, opened
from PIL import Image
from safetensors.torch import load_file, save_file
from text_samples import blip

from radcap.captioning.chats.bases import base_digest
from radcap.captioning.chats.chat import Chat
from radcap.captioning.chats.geometries import GEOMETRIES, drawn_chat
from radcap.captioning.chats.opening import begin_chat
from radcap.captioning.chats.questions import questions_of
from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training import stages, system_training
from radcap.captioning.training.chat_lessons import ChatExam, ChatFeed, ChatLesson
from radcap.captioning.training.judging import held_figures
from radcap.captioning.training.parts import Captioned
from radcap.core import InputError, Missing, UsageError
from radcap.vision.pictures import Chance, load_pictures
from radcap.vision.settings import AugmentSettings, ImageSettings
from radcap.vision.training import PictureFeed, Place, learn
from radcap.vision.transformers_library import open_transformers

assert known_backbone  # a fixture that is used by being here
ALL = "{modality} image with {concepts}: {image} Others: {neighbours} Describe it."


def system(**tables: Any) -> CaptionSystem:
    given: dict[str, Any] = {
        "image": ImageSettings(size=32),
        "tokenizer": TokenizerSettings(size=300),
        "decoder": DecoderSettings(kind="chat", longest=24),
        "pretrained": PretrainedSettings(geometry="tiny"),
        "train": CaptionTrainSettings(epochs=2, batch=8, lr=3e-3),
        "generate": GenerateSettings(method="greedy", longest=10),
    } | tables
    return CaptionSystem(name="talk", task="captions", **given)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("bases")
    return {name: make(root / name) for name, make in MAKERS.items()}


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "model").path


@pytest.fixture(scope="module")
def told(bases: dict[str, Path], seer: Path) -> CaptionSystem:
    """Low-rank weights beside a model, and all that can be told beside an image, with mistakes."""
    return system(
        pretrained=PretrainedSettings(model=str(bases["qwen2-vl"]), lora=4),
        detector=DetectorSettings(str(seer)),
        condition=ConditionSettings(concepts="all", neighbours=2, prompt=ALL, drop=0.3, add=0.1),
        generate=GenerateSettings(method="beam", beams=2, longest=10, supported=True, support=0.3),
        image=ImageSettings(size=32, augment=AugmentSettings(flip_horizontal=0.5)),
    )


@pytest.fixture(scope="module")
def folders(
    bases: dict[str, Path], told: CaptionSystem, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, CaptionFolder]:
    root = tmp_path_factory.mktemp("models")
    scored = CaptionTrainSettings(epochs=2, batch=8, lr=3e-3, score="rouge1", watch="score", refit=True)
    frozen = PretrainedSettings(model=str(bases["gemma-3"]), freeze=("model.vision_tower.*",))
    made = {
        "tiny": (system(train=scored), two_colours()),
        "told": (told, drawn(24)),
        "whole": (system(pretrained=frozen), two_colours()),
    }
    return {name: taught(one, root / name, data) for name, (one, data) in made.items()}


def files(folder: CaptionFolder) -> set[str]:
    return {one.name for one in folder.path.iterdir()}


def test_a_drawn_chat_learns_and_keeps_the_whole_model(folders: dict[str, CaptionFolder]) -> None:
    folder = folders["tiny"]
    assert files(folder) == {"card.json", "system.toml", "log.csv", "log-refit-captions.csv", "pretrained"}
    names = {one.name for one in folder.pretrained.iterdir()}
    assert {"config.json", "model.safetensors", "processor_config.json", "tokenizer.json"} <= names
    card = folder.card()
    assert (card["decoder"], card["base"], card["instruction"]) == ("chat", None, 1)
    assert card["weights"] == card["learnt_weights"] > 0
    stage = card["stages"]["captions"]
    assert stage["epochs"] == 2
    assert stage["last_loss"] < 5.3  # where one of 300 pieces would be a guess
    assert stage["held_score"] is not None
    assert set(card["held_out"]) == {"original"}
    transformers = open_transformers("", "lm")
    assert transformers.AutoModelForImageTextToText.from_pretrained(folder.pretrained) is not None


def test_low_rank_weights_are_kept_alone_as_peft_lays_them_out(
    folders: dict[str, CaptionFolder], bases: dict[str, Path]
) -> None:
    """Against peft itself, over the base as transformers opens it."""
    import peft

    folder = folders["told"]
    assert files(folder) == {
        *("card.json", "system.toml", "log.csv", "adapter", "labels.csv", "concepts", "neighbours"),
        "captions.json",
    }
    assert {one.name for one in folder.adapter.iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    held = load_file(folder.adapter / "adapter_model.safetensors")
    assert all(".language_model." in name and "_proj.lora_" in name for name in held)
    assert len(held) == 2 * 2 * 4  # two layers of four, of two weights each
    card = folder.card()
    assert card["learnt_weights"] == sum(one.numel() for one in held.values())
    assert card["base"] == {"model": str(bases["qwen2-vl"]), "digest": base_digest(bases["qwen2-vl"])}
    ours = open_captioner(folder.path, "cpu").scribe.chat  # type: ignore[attr-defined]
    plain = open_transformers("", "lm").AutoModelForImageTextToText.from_pretrained(bases["qwen2-vl"])
    theirs = peft.PeftModel.from_pretrained(plain, folder.adapter).eval()
    given = ours.asked(
        torch.rand(1, 3, 32, 32) * 255, [questions_of(ConditionSettings(), {}).question(BRIEF)]
    )
    with torch.no_grad():
        assert torch.allclose(ours.model(**given).logits, theirs(**given).logits, atol=1e-5)
        assert not torch.allclose(ours.model(**given).logits, opened(bases["qwen2-vl"]).model(**given).logits)


BRIEF = questions_of(ConditionSettings(), {}).brief([])


def test_frozen_weights_stay_and_the_others_learn(
    folders: dict[str, CaptionFolder], bases: dict[str, Path]
) -> None:
    before = load_file(bases["gemma-3"] / "model.safetensors")
    after = load_file(folders["whole"].pretrained / "model.safetensors")
    assert before.keys() == after.keys()
    moved = {name for name, one in before.items() if not torch.equal(one, after[name])}
    assert moved
    assert not any("vision_tower" in name for name in moved)
    card = folders["whole"].card()
    assert 0 < card["learnt_weights"] < card["weights"]


@pytest.mark.parametrize("name", ["told", "whole"])
def test_a_folder_answers_as_the_model_that_was_judged(folders: dict[str, CaptionFolder], name: str) -> None:
    folder = folders[name]
    data = drawn(24) if name == "told" else two_colours()
    held = Captioned.of(data.split("valid"), folder.system().data)
    answers = open_captioner(folder.path, "cpu").answers(held.images)
    assert held_figures(answers, held) == folder.card()["held_out"]
    assert all(one.caption for one in answers.lines)
    if name == "told":
        assert any(one.concepts for one in answers.lines)
        assert all(len(one.neighbours) == 2 for one in answers.lines)


def test_images_that_cannot_be_read_are_refused_and_the_others_answered(
    folders: dict[str, CaptionFolder],
) -> None:
    model = open_captioner(folders["told"].path, "cpu")
    data = drawn(24, broken=1, missing=1).split("test")
    done: list[int] = []
    answers = model.answers(data, lambda _, n: done.append(n))
    assert len(answers.refused) == 2
    assert len(answers.lines) == len(data) - 2
    assert done[-1] == len(data)
    assert model.labels


def test_the_loss_is_that_of_transformers(bases: dict[str, Path]) -> None:
    chat, feed = opened(bases["gemma-3"]), plain_feed(bases["gemma-3"])
    lesson = ChatLesson(chat, feed)
    chance = Chance.of(0, 0, torch.device("cpu"))
    places = torch.tensor([0, 3, 1])
    with torch.no_grad():
        ours = float(lesson.loss(chat.model, places, chance))
        _, answered = lesson.told(chat.model, places, None)
        labels = torch.full_like(answered.given["input_ids"], -100)
        labels[:, -answered.kept + 1 :] = answered.targets[:, :-1]
        theirs = float(chat.model(**answered.given, labels=labels).loss)
        held, score = ChatExam(lesson, 2, lambda: 0.5)(chat.model)
        whole = float(lesson.loss(chat.model, torch.arange(len(feed)), chance))
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert (held, score) == (pytest.approx(whole, rel=1e-4), 0.5)
    assert lesson.labels is feed.labels


def plain_feed(base: Path, **more: Any) -> ChatFeed:
    """Four images with captions, of which three labels may be told."""
    chat, data = opened(base), two_colours().split("valid")[:4]
    pictures = load_pictures(data, ImageSettings(size=32), torch.device("cpu"), where="host", workers=1)
    captions = [row[0]["text"] for row in data.column("captions").to_pylist()]
    answers = [[*chat.tokenizer.encode(one), chat.tokenizer.end] for one in captions]
    settings = ConditionSettings(concepts="all", prompt="{image} {concepts}", **more)
    names = {"C0040405": "CT", "C0817096": "Chest", "C0032285": "Pneumonia"}
    told = torch.tensor([[True, False, True]] * 4)
    questions = questions_of(settings, names)
    return ChatFeed(
        PictureFeed(pictures, torch.zeros(4, 1)),
        answers,
        captions,
        questions,
        settings,
        told,
        [["Near."]] * 4,
    )


def test_what_is_told_is_mistaken_while_learning_alone(bases: dict[str, Path]) -> None:
    places, device = torch.arange(4), torch.device("cpu")
    deaf = plain_feed(bases["qwen2-vl"], drop=1.0)
    assert {one.concepts for one in deaf.briefs(places, Chance.of(0, 0, device))} == {()}
    assert {one.concepts for one in deaf.briefs(places, None)} == {(0, 2)}
    assert all(one.near == ("Near.",) for one in deaf.briefs(places, None))
    some = plain_feed(bases["qwen2-vl"], drop=0.5)
    drawn_ = [some.briefs(places, Chance.of(seed, 0, device)) for seed in (1, 1, 2)]
    assert drawn_[0] == drawn_[1] != drawn_[2]
    assert replace(some, told=None, near=()).briefs(places, None)[0].concepts == ()


def test_a_training_that_was_killed_goes_on_to_the_same_weights(
    folders: dict[str, CaptionFolder], told: CaptionSystem, tmp_path: Path, saved: None
) -> None:
    with pytest.raises(Killed):
        taught(told, tmp_path / "m", drawn(24), killer("captions", 1))
    heard = Heard()
    again = taught(told, tmp_path / "m", drawn(24), heard.talk)
    assert heard.epochs() == ["epoch 2 of 2"]
    name = "adapter_model.safetensors"
    assert same_weights(again.adapter / name, folders["told"].adapter / name)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every epoch."""
    monkeypatch.setattr(stages, "learn", partial(learn, save_s=0))


def test_a_base_that_changed_meanwhile_is_another_training(
    bases: dict[str, Path], tmp_path: Path, saved: None
) -> None:
    base = shutil.copytree(bases["idefics3"], tmp_path / "base")
    one = system(pretrained=PretrainedSettings(model=str(base), lora=2))
    with pytest.raises(Killed):
        taught(one, tmp_path / "m", two_colours(), killer("captions", 1))
    spoil(base)
    with pytest.raises(UsageError, match="was begun with other settings or other data"):
        taught(one, tmp_path / "m", two_colours())


def spoil(base: Path) -> None:
    """One weight is another."""
    held = load_file(base / "model.safetensors")
    first = min(held)
    save_file({**held, first: held[first] + 1}, base / "model.safetensors", {"format": "pt"})


@pytest.fixture(scope="module")
def asked(bases: dict[str, Path], seer: Path, tmp_path_factory: pytest.TempPathFactory) -> CaptionFolder:
    """A model as it is, with neighbours of both splits."""
    root = tmp_path_factory.mktemp("asked")
    base = shutil.copytree(bases["qwen2-vl"], root / "base")
    one = system(
        pretrained=PretrainedSettings(model=str(base), train=False),
        detector=DetectorSettings(str(seer)),
        condition=ConditionSettings(neighbours=1),
        train=CaptionTrainSettings(refit=True),
    )
    return taught(one, root / "model", drawn(24))


def test_a_model_that_is_asked_as_it_is_is_named_alone(asked: CaptionFolder) -> None:
    assert files(asked) == {
        "card.json",
        "system.toml",
        "labels.csv",
        "concepts",
        "neighbours",
        "captions.json",
    }
    card = asked.card()
    assert (card["learnt_weights"], card["stages"]) == (0, {})
    assert card["training"] == {"stopped": "nothing is learnt"}
    assert len(asked.read_list("captions.json")) == len(drawn(24).split("train")) + len(
        drawn(24).split("valid")
    )
    answers = open_captioner(asked.path, "cpu").answers(drawn(24).split("test"))
    assert all(len(one.neighbours) == 1 for one in answers.lines)


def test_another_base_or_none_is_refused(asked: CaptionFolder, tmp_path: Path) -> None:
    folder = CaptionFolder(shutil.copytree(asked.path, tmp_path / "m"))
    base = Path(folder.system().pretrained.model)
    kept = shutil.copytree(base, tmp_path / "kept")
    spoil(base)
    try:
        with pytest.raises(
            InputError, match=r"base is another model than the one it was made with: config, proc"
        ):
            open_captioner(folder.path, "cpu")
        shutil.rmtree(base)
        with pytest.raises(Missing, match=r"\[pretrained\] model names it"):
            open_captioner(folder.path, "cpu")
        told = (folder.path / "system.toml").read_text().replace(str(base), "OWNER/NAME")
        (folder.path / "system.toml").write_text(told)
        card = json.loads((folder.path / "card.json").read_text())
        (folder.path / "card.json").write_text(json.dumps(card | {"files": {}, "base": None}))
        with pytest.raises(Missing, match=r"OWNER/NAME is missing. .* hf download OWNER/NAME"):
            open_captioner(folder.path, "cpu")
    finally:
        shutil.copytree(kept, base, dirs_exist_ok=True)
    folder.write("system.toml", told.replace("OWNER/NAME", str(base)))
    with pytest.raises(InputError, match="is another model than the one"):
        open_captioner(folder.path, "cpu")


def test_adapters_that_do_not_fit_are_refused(folders: dict[str, CaptionFolder], tmp_path: Path) -> None:
    folder = CaptionFolder(shutil.copytree(folders["told"].path, tmp_path / "m"))
    path = folder.adapter / "adapter_model.safetensors"
    held = load_file(path)
    first = min(held)
    more, cut = {**held, "more": held[first].clone()}, {**held, first: held[first][:1].clone()}
    for changed in ({first: held[first]}, more, cut):
        save_file(changed, path)
        with pytest.raises(
            InputError, match=r"adapter_model.safetensors does not fit .* is another. Train anew"
        ):
            open_captioner(folder.path, "cpu")
    path.unlink()
    with pytest.raises(InputError, match="cannot be read as weights"):
        open_captioner(folder.path, "cpu")


def test_low_rank_weights_stand_beside_the_layers_that_are_named(bases: dict[str, Path]) -> None:
    layers = ("mlp.up_proj", "attn.qkv")
    one = system(pretrained=PretrainedSettings(model=str(bases["qwen2-vl"]), lora=2, lora_layers=layers))
    begun = begin_chat(one, CPU, ())
    held = {
        name.split(".lora_")[0].rpartition(".")[2]
        for name, _ in begun.chat.model.named_parameters()
        if "lora_" in name
    }
    assert held == {"up_proj", "qkv"}


def test_low_rank_weights_need_layers_to_stand_beside(bases: dict[str, Path]) -> None:
    one = system(
        pretrained=PretrainedSettings(model=str(bases["qwen2-vl"]), lora=2, lora_layers=("nothing",))
    )
    with pytest.raises(UsageError, match=r"no layers named nothing. Write lora_layers with some of .*q_proj"):
        begin_chat(one, CPU, ())


def test_where_peft_is_absent_it_is_missing(bases: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "peft":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(Missing, match=r"peft is missing. .* pip install 'radcap\[lm\]'"):
        begin_chat(system(pretrained=PretrainedSettings(model=str(bases["gemma-3"]), lora=2)), CPU, ())


def test_what_cannot_be_trained_is_refused_before_anything_is_begun(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    config = tmp_path / "bert" / "config.json"
    config.parent.mkdir()
    config.write_text('{"model_type": "bert"}')
    (config.parent / "model.safetensors").write_bytes(b"")
    broken = shutil.copytree(bases["qwen2-vl"], tmp_path / "broken")
    (broken / "model.safetensors").rename(broken / "one.safetensors")
    index = {"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}
    (broken / "model.safetensors.index.json").write_text(json.dumps(index))
    for pretrained, kind, why in (
        (PretrainedSettings(model=str(tmp_path / "no")), Missing, r"\[pretrained\] model names it"),
        (PretrainedSettings(), UsageError, r"\[pretrained\] names no model for a chat. Write model"),
        (
            PretrainedSettings(geometry="tiny", lora=2),
            UsageError,
            "those have to learn. Delete lora, freeze and",
        ),
        (PretrainedSettings(geometry="tiny", freeze=("a",)), UsageError, "random weights, and those have to"),
        (PretrainedSettings(geometry="tiny", train=False), UsageError, "random weights, and those have to"),
        (PretrainedSettings(model=str(config.parent)), InputError, "bert"),
        (PretrainedSettings(model=str(broken)), InputError, "two.safetensors"),
    ):
        with pytest.raises(kind, match=why):
            taught(system(pretrained=pretrained), tmp_path / "m", two_colours())
        assert not (tmp_path / "m").exists()
    looks_beside = system(pretrained=PretrainedSettings(model=str(blip(tmp_path / "blip"))))
    with pytest.raises(UsageError, match=r"A blip looks at the picture beside its words"):
        taught(looks_beside, tmp_path / "m", two_colours())


def test_findings_are_kept_with_a_chat_that_must_support_them(
    asked: CaptionFolder, seer: Path, tmp_path: Path
) -> None:
    """Of a dataset that holds nothing out."""
    one = system(
        pretrained=asked.system().pretrained,
        detector=DetectorSettings(str(seer)),
        condition=ConditionSettings(concepts="all"),
        generate=GenerateSettings(method="greedy", longest=8, supported=True),
        train=CaptionTrainSettings(refit=True),
    )
    folder = taught(one, tmp_path / "m", two_colours().split("train"))
    assert folder.read_phrases("findings.json") == {"C0032326": ("pneumothorax",)}
    assert folder.card()["held_out"] is None
    assert not folder.neighbours.exists()
    model = open_captioner(folder.path, "cpu")
    assert model.scribe.judge is not None  # type: ignore[attr-defined]


def test_nobody_but_the_first_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_training, "pick_place", lambda *_: Place(torch.device("cpu"), rank=1))
    one = system(train=CaptionTrainSettings(epochs=1, batch=24))
    assert not taught(one, tmp_path / "m", two_colours(12)).path.exists()


def test_too_little_memory_is_told_with_what_to_lower(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(Chat, "logits", full)
    with pytest.raises(
        Missing, match=r"Memory of the device is missing. .* Lower \[train\] batch or the size of"
    ):
        taught(system(), tmp_path / "m", two_colours())


def test_a_digest_knows_a_base_by_every_part_of_it(bases: dict[str, Path], tmp_path: Path) -> None:
    base = shutil.copytree(bases["gemma-3"], tmp_path / "m")
    before = base_digest(base)
    assert before == base_digest(bases["gemma-3"])
    for name in ("config.json", "chat_template.jinja", "tokenizer.json", "processor_config.json"):
        text = (base / name).read_text()
        (base / name).write_text(f"{text} ")
        assert base_digest(base) != before
        (base / name).write_text(text)
    assert base_digest(base) == before
    spoil(base)
    assert base_digest(base) != before


def test_a_small_chat_can_be_drawn_and_asked() -> None:
    vlm = drawn_chat(GEOMETRIES["small"], ["CT of the chest."] * 3, 300, CPU, 0)
    assert vlm.model.config.vision_config.hidden_size == 256
    (answer,) = vlm.ask([Image.new("RGB", (224, 224))], "What is it?", 2)
    assert isinstance(answer, str)
