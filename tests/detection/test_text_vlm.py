"""Vision-language models in the layout of transformers, opened, refused and asked."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from dataset_samples import dataset_of, png, row
from PIL import Image
from safetensors.torch import load_file, save_file
from text_samples import blip, llava, transformers

from radcap.core import InputError, Missing
from radcap.datasets.stores import MemoryImages
from radcap.detection.text import Text
from radcap.detection.text.asking import QUESTION, check_asker, open_asker
from radcap.detection.text.vlm import Question, VisionLanguageModel, _without
from radcap.detection.text.vlm_opening import open_vlm
from radcap.vision.training import Place

CPU = Place(torch.device("cpu"))
PICTURES = [Image.effect_noise((40, 30), n * 60).convert("RGB") for n in range(3)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("vlm")
    return {
        "chat": llava(root / "chat"),
        "plain": llava(root / "plain", chat=None),
        "blip": blip(root / "blip"),
    }


@pytest.mark.parametrize("kind", ["chat", "plain", "blip"])
def test_a_model_answers_each_picture_alike_alone_and_among_others(
    models: dict[str, Path], kind: str
) -> None:
    model = open_vlm(str(models[kind]), CPU)
    told = model.ask(PICTURES, "chest , this spine", 9)
    assert told == model.ask(PICTURES, "chest , this spine", 9)
    assert told == [model.ask([one], "chest , this spine", 9)[0] for one in PICTURES]
    assert len(set(told)) > 1  # it looks
    assert all(len(one.split()) <= 9 for one in told)
    assert not any("<" in one for one in told)


@pytest.mark.parametrize(
    ("kind", "asked"), [("chat", "user <image> chest assistant"), ("plain", "USER : <image>")]
)
def test_the_question_is_put_as_the_folder_says(models: dict[str, Path], kind: str, asked: str) -> None:
    """Against what transformers itself makes of the words: a place for each patch of the picture."""
    model = open_vlm(str(models[kind]), CPU)
    given = model.prepared(PICTURES[:1], [Question(after="chest")])
    tokenizer = model.processor.tokenizer
    wanted = tokenizer("user " + "<image> " * 4 + "chest assistant")["input_ids"]
    if kind == "plain":
        wanted = tokenizer("USER: " + "<image> " * 4 + "\nchest ASSISTANT:")["input_ids"]
    assert given["input_ids"][0].tolist() == wanted
    assert asked.split(maxsplit=1)[0].casefold().startswith("user")


def test_greedy_answers_are_those_of_a_loop_over_the_likeliest_tokens(models: dict[str, Path]) -> None:
    model = open_vlm(str(models["chat"]), CPU)
    given = model.prepared(PICTURES[:1], [Question(after="pelvis")]).to(torch.float32)
    ids = given["input_ids"]
    for _ in range(6):
        with torch.no_grad():
            logits = model.model(input_ids=ids, pixel_values=given["pixel_values"]).logits
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    new = ids[0, given["input_ids"].shape[1] :].tolist()
    new = new[: new.index(3)] if 3 in new else new
    wanted = model.processor.tokenizer.decode(new, skip_special_tokens=True).strip()
    assert model.ask(PICTURES[:1], "pelvis", 6) == [wanted]


def test_half_precision_where_the_place_has_it(models: dict[str, Path]) -> None:
    model = open_vlm(str(models["chat"]), Place(torch.device("cpu"), "bf16"))
    assert model.model.dtype == torch.bfloat16
    assert len(model.ask(PICTURES, "chest", 4)) == 3


@pytest.mark.parametrize(
    ("question", "answer", "left"),
    [
        ("A b", "a  B c", " c"),
        ("A b", "a c", "a c"),
        ("a b", "ab", ""),
        ("", "", ""),
        ("", "x", "x"),
        ("abc", "ab", "ab"),
    ],
)
def test_a_question_that_is_repeated_is_taken_off(question: str, answer: str, left: str) -> None:
    assert _without(question, answer) == left


def test_images_that_will_not_decode_are_refused_and_the_others_asked_about(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [row(str(n), image="" if n == 3 else f"{n}.png") for n in range(6)]
    noise = [torch.randint(0, 255, (20, 20), dtype=torch.uint8).numpy() for _ in rows]
    files = {f"{n}.png": png(one) for n, one in enumerate(noise)} | {"1.png": b"no image"}
    real = MemoryImages.read

    def read(self: Any, key: str) -> bytes:
        if key == "4.png":
            raise OSError("the disk failed")
        return real(self, key)

    monkeypatch.setattr(MemoryImages, "read", read)
    asker = open_asker(str(models["chat"]), Text(words="vlm:", tokens=5), CPU)
    done: list[int] = []
    told = asker.tell(dataset_of(rows, files), lambda _, n: done.append(n))
    assert told.ids == ("0", "2", "5")
    assert {one: code[:3] for one, code in told.refused.items()} == dict.fromkeys("134", "IMG")
    assert told.refused["3"] == "IMG101"
    assert done == [3, 6]
    assert asker.question == QUESTION
    assert asker.tell(dataset_of(rows[:2], files)).ids == ("0",)
    asked: list[int] = []
    monkeypatch.setattr(
        VisionLanguageModel, "ask", lambda *given: asked.append(len(given[1])) or [""] * len(given[1])
    )
    assert (
        len(open_asker(str(models["chat"]), Text(prompt="what?"), CPU).tell(dataset_of(rows[:1], files)).ids)
        == 1
    )
    assert asked == [1]


def changed(folder: Path, name: str, **keys: Any) -> None:
    held = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(held | keys))


def test_folders_that_are_no_such_model_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"nowhere is missing. .* nothing is fetched"):
        check_asker(str(tmp_path / "nowhere"))
    folder = tmp_path / "m"
    folder.mkdir()
    with pytest.raises(InputError, match=r"config.json is refused: it is not there"):
        check_asker(str(folder))
    for told, why in (
        ("[]", "config.json is refused: it holds no JSON object"),
        ("{}", "config.json is refused: it names no model_type"),
    ):
        (folder / "config.json").write_text(told)
        with pytest.raises(InputError, match=why):
            check_asker(str(folder))
    (folder / "config.json").write_text('{"model_type": "llava"}')
    with pytest.raises(InputError, match=r"model.safetensors is refused: it is not there"):
        check_asker(str(folder))
    (folder / "pytorch_model.bin").write_bytes(b"pickled")
    with pytest.raises(
        InputError, match=r"its weights are pickled \(pytorch_model.bin\), and opening those can"
    ):
        check_asker(str(folder))


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "index.json is refused: it has no weight_map"),
        ({"weight_map": []}, "it has no weight_map"),
        ({"weight_map": {"a": "../model.safetensors"}}, "which is no file beside it"),
        ({"weight_map": {"a": "model.bin"}}, "which is no file beside it"),
        (
            {"weight_map": {"a": "m1.safetensors", "b": "m2.safetensors"}},
            "m1.safetensors is refused: it is not there. .* names 2 files",
        ),
    ],
)
def test_weights_in_several_files_are_looked_for(tmp_path: Path, told: Any, why: str) -> None:
    folder = llava(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "m3.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match=why):
        check_asker(str(folder))


def test_weights_in_several_files_are_read(tmp_path: Path) -> None:
    folder = llava(tmp_path / "m")
    before = open_vlm(str(folder), CPU).ask(PICTURES, "chest", 5)
    held = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(held)
    files = {"m1.safetensors": names[:5], "m2.safetensors": names[5:]}
    for file, some in files.items():
        save_file({name: held[name] for name in some}, folder / file, {"format": "pt"})
    index = {"metadata": {}, "weight_map": {name: file for file, some in files.items() for name in some}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert open_vlm(str(folder), CPU).ask(PICTURES, "chest", 5) == before


def test_quantised_models_adapters_and_other_kinds_are_refused(tmp_path: Path) -> None:
    folder = llava(tmp_path / "m")
    real = (folder / "config.json").read_text()
    changed(folder, "config.json", quantization_config={})
    with pytest.raises(InputError, match=r"its weights are quantised. Give a model in fp32"):
        check_asker(str(folder))
    (folder / "config.json").write_text(real)
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(InputError, match=r"adapter_config.json is refused: it is an adapter"):
        check_asker(str(folder))
    (folder / "adapter_config.json").unlink()
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InputError, match="bert is no model that is shown images and writes text"):
        check_asker(str(folder))
    (folder / "config.json").write_text(
        '{"model_type": "made-up", "auto_map": {"AutoConfig": "evil.Config"}}'
    )
    (folder / "evil.py").write_text("raise SystemExit('the folder was run')")
    with pytest.raises(InputError, match=r"cannot be used: .* that transformers .* knows by itself"):
        check_asker(str(folder))


def test_a_folder_without_a_processor_or_a_weight_is_refused(tmp_path: Path) -> None:
    folder = llava(tmp_path / "m")
    held = load_file(folder / "model.safetensors")
    first = next(name for name in sorted(held) if "projector" in name)
    save_file(
        {name: one for name, one in held.items() if name != first},
        folder / "model.safetensors",
        {"format": "pt"},
    )
    with pytest.raises(InputError, match=r"it lacks 1 weights, .*projector"):
        open_vlm(str(folder), CPU)
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match=r"model.safetensors is refused: it cannot be opened"):
        open_vlm(str(folder), CPU)
    save_file(held, folder / "model.safetensors", {"format": "pt"})
    (folder / "processor_config.json").unlink()
    with pytest.raises(InputError, match="cannot be used"):
        check_asker(str(folder))


def test_parts_that_do_not_fit_each_other_are_refused_when_asked(tmp_path: Path) -> None:
    folder = llava(tmp_path / "m")
    changed(folder, "processor_config.json", patch_size=4)  # more places for a picture than it has patches
    model = open_vlm(str(folder), CPU)
    with pytest.raises(InputError, match=r"m cannot be used: Image features and image tokens do not match"):
        model.ask(PICTURES, "chest", 4)


def test_what_transformers_refuses_is_refused(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(*_: Any, **__: Any) -> Any:
        raise ValueError("the weights are odd.\nAnd more")

    with monkeypatch.context() as patched:
        patched.setattr(transformers.AutoModelForImageTextToText, "from_pretrained", odd)
        with pytest.raises(InputError, match=r"cannot be used: the weights are odd. Give a vision-language"):
            open_vlm(str(models["chat"]), CPU)
    monkeypatch.setattr(transformers.AutoProcessor, "from_pretrained", lambda *_, **__: object())
    with pytest.raises(InputError, match="it has not both a tokenizer and a processor of images"):
        check_asker(str(models["chat"]))


def test_where_transformers_is_absent_it_is_missing(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **more: Any) -> Any:
        if name == "transformers":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(Missing, match=r"transformers is missing. .* pip install 'radcap\[lm\]'"):
        check_asker(str(models["chat"]))


def test_bars_are_as_before_after_a_model_was_opened(models: dict[str, Path]) -> None:
    logging = transformers.utils.logging
    logging.enable_progress_bar()
    try:
        open_vlm(str(models["plain"]), CPU)
        assert logging.is_progress_bar_enabled()
    finally:
        logging.disable_progress_bar()
    open_vlm(str(models["plain"]), CPU)
    assert not logging.is_progress_bar_enabled()
