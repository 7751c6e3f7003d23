"""Published captioners from a folder to a trained captioner, and out again by transformers itself."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from captioning_samples_pretrained import SIZE, composed, published, system
from captioning_samples_training import (
    CPU,
    TINY,
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
from commands import Command
from published_samples import pixels, scaled, transformers
from safetensors.torch import load_file, save_file

from radcap.captioning.generation import marks_of, write
from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.settings import (
    CaptionTrainSettings,
    ConditionSettings,
    DetectorSettings,
    GenerateSettings,
    JointSettings,
    LanguageSettings,
    ScstSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import caption_toml
from radcap.captioning.training import encoding, stages
from radcap.core import InputError, Missing, UsageError
from radcap.detection.models import open_model
from radcap.vision.settings import AugmentSettings, BackboneSettings, ImageSettings
from radcap.vision.training import learn
from radcap.vision.training.memory import free_memory
from radcap.vision.transformers_library import quiet

__all__ = ["known_backbone"]

DATA = two_colours(24)
KINDS = {"GPT2": "encoder-decoder", "Bert": "encoder-decoder", "Blip": "blip"}
CLASSES = {"encoder-decoder": "VisionEncoderDecoderModel", "blip": "BlipForConditionalGeneration"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder of each kind."""
    folder = tmp_path_factory.mktemp("published")
    for kind in KINDS:
        published(folder / kind, kind)
    return folder


def begun(folders: Path, kind: str = "GPT2", **tables: Any) -> CaptionSystem:
    return system(folders / kind, KINDS[kind], **tables)


def opened(folder: CaptionFolder) -> WriterModel:
    found = open_captioner(folder.path, "cpu")
    assert isinstance(found, WriterModel)
    return found


def captions(folder: CaptionFolder) -> dict[str, str]:
    return opened(folder).answers(DATA.split("test")).captions()


def in_transformers(folder: Path, kind: str) -> Any:
    with quiet(transformers):
        return getattr(transformers, CLASSES[KINDS[kind]]).from_pretrained(folder, dtype=torch.float32).eval()


@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_folder_is_one_that_transformers_opens(kind: str, folders: Path, tmp_path: Path) -> None:
    """With the same logits and captions; and the folder it began with is needed no more."""
    base = Path(shutil.copytree(folders / kind, tmp_path / "base"))
    made = taught(system(base, KINDS[kind]), tmp_path / "made", DATA)
    shutil.rmtree(base)
    _same_as_transformers(opened(made), in_transformers(made.pretrained, kind))
    old, new = (load_file(one / "model.safetensors") for one in (folders / kind, made.pretrained))
    assert old.keys() == new.keys()
    assert sum(not torch.equal(old[one], new[one]) for one in old) > len(old) / 2
    processor = json.loads((made.pretrained / "preprocessor_config.json").read_text())
    assert processor["size"] == {"height": SIZE, "width": SIZE}
    assert transformers.AutoTokenizer.from_pretrained(made.pretrained).eos_token_id == 3
    card = made.card()
    assert card["pretrained"] is None
    assert card["decoder"] == KINDS[kind]
    assert card["held_out"]["original"]["n"] == len(DATA.split("valid"))


@torch.no_grad()
def _same_as_transformers(model: WriterModel, theirs: Any) -> None:
    """In logits, and in the greedy caption."""
    writer, marks = model.scribe.writer, marks_of(model.scribe.tokenizer)
    shown = pixels(images=2)
    memory = writer.memory(model.eyes.looker(shown), rows=2)
    tokens = torch.tensor([[marks.begin, 5, 9, 7]] * 2)
    name = "input_ids" if hasattr(theirs, "text_decoder") else "decoder_input_ids"
    told = {name: tokens, name.replace("input_ids", "attention_mask"): torch.ones_like(tokens)}
    logits = theirs(pixel_values=scaled(shown), **told).logits
    torch.testing.assert_close(writer.decoder(memory, tokens), logits, atol=1e-4, rtol=1e-4)
    words = theirs.generate(
        pixel_values=scaled(shown), max_new_tokens=12, suppress_tokens=list(marks.never), do_sample=False
    )
    settings = GenerateSettings(method="greedy", no_repeat=0, shortest=0, longest=12)
    for row, (one,) in zip(words.tolist(), write(writer.decoder, memory, settings, marks), strict=True):
        wanted = row[1 : row.index(marks.end)] if marks.end in row else row[1:]
        assert list(one.tokens) == wanted[:12]


@pytest.mark.parametrize("kind", ["GPT2", "Blip"])
def test_low_rank_weights_lean_on_their_base(kind: str, folders: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(folders / kind, tmp_path / "base"))
    made = taught(system(base, KINDS[kind], pretrained={"lora": 2}), tmp_path / "made", DATA)
    assert not made.pretrained.exists()
    held = load_file(made.weights)
    theirs = {name for name in held if not name.startswith("writer.")}
    assert theirs
    assert all(".lora_" in name and name.startswith("published.") for name in theirs)
    assert any(held[name].any() for name in theirs if "lora_B" in name)
    assert made.card()["pretrained"].keys() == {"model", "weights"}
    before = captions(made)
    assert all(before.values())
    weights = load_file(base / "model.safetensors")
    weights[next(iter(weights))] += 1
    save_file(weights, base / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"card.json .*trained over other weights than those of .*base"):
        captions(made)
    shutil.rmtree(base)
    with pytest.raises(Missing, match=r"\[pretrained\] model names it"):
        captions(made)


def test_merged_low_rank_weights_say_what_they_said_beside(folders: Path, tmp_path: Path) -> None:
    made = taught(begun(folders, pretrained={"lora": 2, "lora_alpha": 64.0}), tmp_path, DATA)
    model = opened(made)
    plain = opened(taught(begun(folders, pretrained={"train": False}), tmp_path / "plain", DATA))
    shown, tokens = pixels(images=1), torch.tensor([[2, 5, 9]])
    one, other = (it.scribe.writer(it.eyes.looker(shown), tokens) for it in (model, plain))
    assert not torch.allclose(one, other, atol=1e-3)
    held = load_file(made.weights)
    layer = "decoder.transformer.h.0.attn.c_attn"
    a, b = (held[f"published.{layer}.lora_{one}.weight"].float() for one in "AB")
    base = load_file(folders / "GPT2" / "model.safetensors")[f"{layer}.weight"]
    text: Any = model.scribe.writer.decoder.model
    merged = text.transformer.h[0].attn.c_attn.get_base_layer().weight
    torch.testing.assert_close(merged, base + (b @ a).T * 64 / 2, atol=1e-5, rtol=1e-4)


def test_a_model_as_it_is_learns_nothing_and_is_a_folder_all_the_same(folders: Path, tmp_path: Path) -> None:
    made = taught(begun(folders, pretrained={"train": False}), tmp_path, DATA)
    assert not made.pretrained.exists()
    card = made.card()
    assert card["training"] == {"stopped": "not trained"}
    assert card["stages"] == {}
    assert card["held_out"]["original"]["n"] == 6
    assert len(captions(made)) == 6


@pytest.mark.parametrize(
    "frozen", [("encoder.*",), ("decoder.*:7", "encoder.embeddings.*")], ids=["eyes", "some"]
)
def test_what_is_frozen_stays(frozen: tuple[str, ...], folders: Path, tmp_path: Path) -> None:
    made = taught(begun(folders, pretrained={"freeze": frozen}), tmp_path, DATA)
    model = in_transformers(folders / "GPT2", "GPT2")
    old = dict(model.named_parameters())
    new = dict(in_transformers(made.pretrained, "GPT2").named_parameters())
    same = {name for name in old if torch.equal(old[name], new[name])}
    eyes = {name for name in old if name.startswith("encoder.")}
    if len(frozen) == 1:
        assert same == eyes
    else:
        first = [name for name in old if name.startswith("decoder.")][:7]
        assert same >= {*first} | {name for name in eyes if "embeddings" in name}
        assert not same & {name for name in eyes if "layers.1" in name}


def test_eyes_that_do_not_learn_look_once_or_anew(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no room for all maps, each image is looked at anew; what is learnt is the same."""
    made = begun(folders, pretrained={"freeze": ("encoder.*",)})
    once = taught(made, tmp_path / "once", DATA)
    monkeypatch.setattr(encoding, "free_memory", lambda _: 0)
    anew = taught(made, tmp_path / "anew", DATA)
    weights = [load_file(one.pretrained / "model.safetensors") for one in (once, anew)]
    for name, one in weights[0].items():
        torch.testing.assert_close(one, weights[1][name], atol=1e-4, rtol=1e-3)


def test_free_memory_is_that_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    assert free_memory(CPU.device) > 0
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (7, 8))
    assert free_memory(torch.device("cuda")) == 7


@pytest.mark.parametrize("lora", [0, 2], ids=["whole", "low rank"])
def test_eyes_and_a_language_model_of_two_folders(lora: int, tmp_path: Path) -> None:
    """Their new cross-attention learns, whatever else does."""
    made = taught(composed(tmp_path / "base", pretrained={"lora": lora}), tmp_path / "made", DATA)
    assert made.pretrained.exists() is not bool(lora)
    first = captions(made)
    assert first == captions(made)
    if lora:
        held = load_file(made.weights)
        assert "published.decoder.transformer.h.0.crossattention.c_attn.weight" in held
        assert "published.enc_to_dec_proj.weight" in held
        assert made.card()["pretrained"].keys() == {"model", "eyes", "weights", "eyes_weights"}
        (tmp_path / "base" / "eyes" / "model.safetensors").write_bytes(b"other")
        with pytest.raises(InputError, match=r"other weights than those of .*eyes"):
            captions(made)
    else:
        shutil.rmtree(tmp_path / "base")
        assert captions(made) == first


@pytest.mark.parametrize("kind", ["encoder-decoder", "blip"])
@pytest.mark.parametrize("geometry", ["tiny", "small"])
def test_random_weights_of_the_kind_over_a_backbone_of_ours(kind: str, geometry: str, tmp_path: Path) -> None:
    tables: dict[str, Any] = {
        "pretrained": {"geometry": geometry},
        "backbone": BackboneSettings(name=TINY),
        "tokenizer": TokenizerSettings(size=280),
        "train": CaptionTrainSettings(epochs=0 if geometry == "small" else 1, batch=16, lr=1e-2),
    }
    made = taught(system("", kind, **tables), tmp_path, DATA)
    assert captions(made) == captions(made)
    held = load_file(made.weights)
    width = {"tiny": 32, "small": 256}[geometry]
    assert held["writer.look.1.weight"].shape[0] == width
    assert not made.pretrained.exists()
    assert any(name.startswith("backbone.") for name in held)


def test_self_critical_training_text_alone_and_a_kill(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "learn", partial(learn, save_s=0))
    text = tmp_path / "text.txt"
    text.write_text("\n".join(["Axial CT of the chest.", "MRI of the head.", "CT of the liver."] * 8))
    made = begun(
        folders,
        language=LanguageSettings(text=str(text), epochs=1, batch=8),
        scst=ScstSettings(epochs=1, metric="rouge1", batch=16, lr=1e-3),
        generate=GenerateSettings(method="greedy", longest=8),
    )
    whole = taught(made, tmp_path / "whole", DATA)
    assert whole.card()["stages"].keys() == {"language", "captions", "scst"}
    assert load_file(whole.weights)["writer.nothing"].any()
    with pytest.raises(Killed):
        taught(made, tmp_path / "killed", DATA, killer("captions", 1))
    killed = taught(made, tmp_path / "killed", DATA)
    assert same_weights(whole.weights, killed.weights)
    assert same_weights(*(one.pretrained / "model.safetensors" for one in (whole, killed)))


def test_joint_heads_make_a_detector_of_the_published_eyes(folders: Path, tmp_path: Path) -> None:
    made = taught(begun(folders, joint=JointSettings(concepts=1.0, modality=0.5)), tmp_path, drawn())
    assert made.system().detector == DetectorSettings(model="concepts", share=True)
    concepts = open_model(made.concepts.path, "cpu")
    answers = concepts.answers(drawn().split("test"))
    assert len(answers.ids) == len(drawn().split("test"))
    backbone = made.concepts.system().backbone
    assert (backbone.name, backbone.tokens) == ("hugging-face", True)
    model = opened(made)
    assert model.eyes.backbone is None  # the detector's look, which are the same
    tower = model.eyes.looker.body.state_dict()
    theirs = load_file(made.pretrained / "model.safetensors")
    assert tower["network.embeddings.cls_token"].shape == theirs["encoder.embeddings.cls_token"].shape
    torch.testing.assert_close(
        tower["network.embeddings.cls_token"], theirs["encoder.embeddings.cls_token"], atol=1e-3, rtol=1e-2
    )


def test_a_published_captioner_is_told_concepts_and_a_prompt(folders: Path, tmp_path: Path) -> None:
    found = detector(tmp_path / "detector")
    made = taught(
        begun(
            folders,
            detector=DetectorSettings(str(found.path), share=False),
            condition=ConditionSettings(concepts="all", prompt="It is {modality} or not:"),
        ),
        tmp_path / "made",
        drawn(),
    )
    assert load_file(made.weights)["writer.kinds"].any()
    assert len(opened(made).answers(drawn().split("test")).captions()) == len(drawn().split("test"))


def test_the_command_trains_and_predicts(
    folders: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A captioner that leans on a folder named from here can be asked from elsewhere."""
    DATA.save(tmp_path / "data")
    shutil.copytree(folders / "Blip", tmp_path / "base")
    made = system("base", "blip", pretrained={"lora": 2})
    (tmp_path / "mine.toml").write_text(caption_toml(made), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = radcap("train", "mine.toml", "--data", "data", "--out", "made")
    assert done.code == 0, done.err
    monkeypatch.chdir("/")
    given = ("--split", "test", "--out", tmp_path / "run.csv", "--device", "cpu")
    done = radcap("predict", tmp_path / "made", tmp_path / "data", *given)
    assert done.code == 0, done.err
    rows = (tmp_path / "run.csv").read_text().splitlines()
    assert len(rows) == 1 + len(DATA.split("test"))


def test_varied_images_are_looked_at_by_frozen_eyes_too(folders: Path, tmp_path: Path) -> None:
    image = ImageSettings(size=SIZE, augment=AugmentSettings(flip_horizontal=0.5))
    made = taught(begun(folders, pretrained={"freeze": ("encoder.*",)}, image=image), tmp_path, DATA)
    assert captions(made)


def test_another_size_than_that_of_the_folder(folders: Path, tmp_path: Path) -> None:
    """Places in between are had from those of the tower."""
    heard = Heard()
    made = taught(begun(folders, "Blip", image=ImageSettings(size=48)), tmp_path, DATA, heard.talk)
    assert heard.has("Images have 48 pixels, and the published captioner was trained with 32")
    assert opened(made).eyes.width == 32
    assert captions(made)


def test_training_goes_on_over_the_same_base_alone(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "learn", partial(learn, save_s=0))
    base = Path(shutil.copytree(folders / "GPT2", tmp_path / "base"))
    with pytest.raises(Killed):
        taught(system(base), tmp_path / "made", DATA, killer("captions", 1))
    weights = load_file(base / "model.safetensors")
    save_file({name: one + 1 for name, one in weights.items()}, base / "model.safetensors", {"format": "pt"})
    with pytest.raises(UsageError, match="begun with other settings or other data"):
        taught(system(base), tmp_path / "made", DATA)
