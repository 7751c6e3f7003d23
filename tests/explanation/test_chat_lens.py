"""Why a chat said its words: by covering the image, and by its attention to the tokens of the image."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch
from chat_samples import CPU, MAKERS, idefics3, opened, pictures
from commands import Command
from dataset_samples import dataset_of, png, row
from explain_model_samples import CHEST, NAMES, PNEUMONIA, XRAY, detector
from PIL import Image
from text_samples import blip

from radcap.captioning.chats.chat import image_token
from radcap.captioning.chats.chat_scribe import ChatModel
from radcap.captioning.chats.opening import chat_eyes, make_chat_model
from radcap.captioning.chats.questions import Brief
from radcap.captioning.hints import Hints
from radcap.captioning.models import CaptionAnswers, Line, open_captioner
from radcap.captioning.pretrained_settings import PretrainedSettings
from radcap.captioning.settings import (
    CaptionLossSettings,
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    GenerateSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.training import train_captions
from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.explanation.external_audience import with_audience
from radcap.explanation.families import default_method, family_of
from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.lenses.chat_looking import chat_looks, grid_of
from radcap.explanation.lenses.frame import Frame
from radcap.explanation.mapping import MethodChoice, mapped
from radcap.explanation.sanity import sanity_of, with_network
from radcap.explanation.subjects.opening import Photo, check_explainable, labels_of, subject_of
from radcap.explanation.subjects.wanted import wanted_from
from radcap.explanation.targets import Concept, Contrast, Span
from radcap.explanation.values import Kind
from radcap.reading.looking import looks, readable
from radcap.vision.settings import ImageSettings

SIZE, PATCH = 32, 8
MEAN = {"occlusion": {"covers": ("mean",)}}
PROMPT = "{modality} image with {concepts}: {image}"


def planted(images: int) -> Dataset:
    """Every other four dark pictures have a bright square in one of 16 places, and a caption that says so."""
    lots = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    for number in range(images):
        pixels = lots.integers(30, 70, (SIZE, SIZE), np.uint8)
        if number // 4 % 2 == 0:
            top, left = lots.integers(0, SIZE // PATCH, 2) * PATCH
            pixels[top : top + PATCH, left : left + PATCH] = lots.integers(210, 250, (PATCH, PATCH))
        said = "Nodule." if number // 4 % 2 == 0 else "Normal."
        split = ("train", "train", "train", "valid")[number % 4]
        files[f"{number}.png"] = png(pixels)
        rows.append(row(str(number), split, image=f"{number}.png", captions=said))
    return dataset_of(rows, files)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat that has learnt to see the square."""
    system = CaptionSystem(
        name="square",
        task="captions",
        image=ImageSettings(size=SIZE),
        decoder=DecoderSettings(kind="chat"),
        pretrained=PretrainedSettings(geometry="tiny"),
        tokenizer=TokenizerSettings(size=300),
        condition=ConditionSettings(prompt="{image}"),
        loss=CaptionLossSettings(smoothing=0.0),
        train=CaptionTrainSettings(epochs=16, batch=16, lr=3e-3, warmup=0.5),
        generate=GenerateSettings(method="greedy", no_repeat=0, shortest=1, longest=8),
    )
    with mock.patch("radcap.datasets.images.cache.default_workers", return_value=1):
        return train_captions(system, planted(96), tmp_path_factory.mktemp("square") / "model").path


def seen_squares(folder: Path) -> list[tuple[ChatModel, CaptionAnswers, Photo, np.ndarray]]:
    """Held-out pictures that the chat says have a square, with where it is."""
    model, data = open_captioner(folder, "cpu"), planted(96).split("valid")
    assert isinstance(model, ChatModel)
    answers = model.answers(data)
    truth = [int(one.image) // 4 % 2 == 0 for one in answers.lines]
    assert [one.caption == "Nodule." for one in answers.lines] == truth  # it sees
    found: list[tuple[ChatModel, CaptionAnswers, Photo, np.ndarray]] = []
    for place in np.flatnonzero(truth)[:5].tolist():
        square = np.asarray(data.image(place).load().convert("L")) > 150
        found.append((model, answers, Photo.of(answers.ids[place], data.image(place), place), square))
    return found


@pytest.mark.parametrize(("method", "least"), [("occlusion", 5), ("chefer", 3)])
def test_the_place_that_was_planted_is_found(folder: Path, method: str, least: int) -> None:
    hits = 0
    for model, answers, photo, square in seen_squares(folder):
        statements = subject_of(model, answers, photo, wanted_from(["words"])).statements
        assert [one.label for one in statements] == ["Nodule"]
        (found,) = mapped(statements, MethodChoice(method, MEAN), SIZE, SIZE)
        assert found.map is not None, found.why
        hits += bool(square[np.unravel_index(found.map.argmax(), found.map.shape)])
    assert hits >= least


def test_the_command_explains_a_chat(folder: Path, tmp_path: Path, radcap: Command) -> None:
    picture = tmp_path / "one.png"
    picture.write_bytes(seen_squares(folder)[0][2].data)
    done = radcap("explain", folder, picture, "--out", tmp_path / "out", "--faithfulness", "quick")
    assert done.code == 0, done.err
    told = json.loads((tmp_path / "out" / "explanations.json").read_text())["explanations"][0]
    assert told["caption"] == "Nodule."
    assert [one["has_map"] for one in told["evidence"]] == [True]


# what a chat of another layout says of an image, with a detector beside it


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("bases")
    return {name: make(root / name) for name, make in MAKERS.items()}


def talking(base: Path, *, reads: bool = True, prompt: str = PROMPT) -> ChatModel:
    """A chat as it is; with a detector that decides for all of its labels."""
    system = CaptionSystem(
        name="sample",
        task="captions",
        image=ImageSettings(size=SIZE),
        decoder=DecoderSettings(kind="chat"),
        condition=ConditionSettings(concepts="all" if reads else "none", prompt=prompt),
        generate=GenerateSettings(method="greedy", longest=6),
    )
    seer = detector() if reads else None
    return make_chat_model(system, chat_eyes(system, CPU, seer), opened(base), NAMES if reads else {})


def photo(size: int = 40) -> Photo:
    out = io.BytesIO()
    pixels = np.random.default_rng(2).integers(0, 255, (size, size, 3), np.uint8)
    Image.fromarray(pixels).save(out, "PNG")
    return Photo("a", out.getvalue(), "a.png", 0)


def lens_of(model: ChatModel) -> ChatLens:
    brief = Brief((0, 1), 0) if model.names else Brief()
    return ChatLens(model, brief, pictures(1, SIZE), Frame())


def span(model: ChatModel, text: str, first: int = 0, last: int = 2) -> Span:
    return Span(tuple(model.scribe.tokenizer.encode(text)), first, last)


SAID = "Chest radiograph showing pneumonia."


def said(text: str = SAID) -> CaptionAnswers:
    concepts = {XRAY: 0.9, CHEST: 0.9, PNEUMONIA: 0.9}
    return CaptionAnswers((Line("a", text, "greedy", concepts=concepts),), "")


@pytest.mark.parametrize("kind", list(MAKERS))
def test_words_rest_on_the_image_and_on_what_was_told(bases: dict[str, Path], kind: str) -> None:
    model = talking(bases[kind])
    check_explainable(model)
    assert labels_of(model) == NAMES
    subject = subject_of(model, said(), photo(), wanted_from([]))
    assert subject.caption == SAID
    words = [one for one in subject.statements if one.kind in (Kind.WORD, Kind.SPAN)]
    assert [one.label for one in words if one.kind is Kind.SPAN] == ["Chest", "radiograph", "pneumonia"]
    assert all(SAID[slice(*one.place)] == one.label for one in words if one.place)
    assert any(len(one.paths) > 1 for one in words)  # by the image, and by a concept that was told
    for one in words:
        if one.paths:
            lens = one.voices[0][0]
            assert isinstance(lens, ChatLens)
            chance = float(lens.chances(lens.pixels, [one.target]))  # type: ignore[list-item]
            assert one.probability == pytest.approx(chance, rel=1e-3)
            assert chance == pytest.approx(geometric_mean(lens, one.target), rel=1e-3)
    told = {path.name for one in words for path in one.paths}
    assert told & {f"the concept {name}, which was told" for name in NAMES.values()}


def geometric_mean(lens: ChatLens, target: Any) -> float:
    """Of a span's tokens, by one softmax after another over the prompt as transformers makes it."""
    chat, scribe = lens.chat, lens.model.scribe
    given = chat.asked(lens.pixels, [scribe.questions.question(lens.brief)])
    ids = given["input_ids"]
    total = 0.0
    for place, token in enumerate(target.tokens):
        rest = {
            name: torch.cat([one, one.new_zeros(1, place)], dim=1)
            for name, one in given.items()
            if name.endswith("token_type_ids")
        }
        seen = {**given, **rest, "input_ids": ids, "attention_mask": torch.ones_like(ids)}
        with torch.no_grad():
            p = chat.model(**seen).logits[0, -1].log_softmax(-1)
        total += float(p[token]) if target.first <= place < target.last else 0.0
        ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
    return float(np.exp(total / (target.last - target.first)))


@torch.no_grad()
def test_what_is_withheld_is_not_in_the_question(bases: dict[str, Path]) -> None:
    lens = lens_of(talking(bases["gemma-3"]))
    target = span(lens.model, SAID, 3, 6)
    assert lens.told.concepts is not None
    assert lens.told.concepts.tolist() == [[0, 1]]
    without = lens.spans(lens.pixels, lens.without(0), [target])
    alone = replace(lens, brief=Brief((1,)))
    assert float(without) == pytest.approx(float(alone.scores(lens.pixels, [target])))
    assert float(without) != pytest.approx(float(lens.scores(lens.pixels, [target])))
    blind = lens.spans(None, lens.told, [target])
    grey = torch.full_like(lens.pixels, 127.5)
    assert float(blind) == pytest.approx(float(lens.scores(grey, [target])))
    assert float(lens.spans(lens.pixels, Hints(), [target])) == pytest.approx(
        float(replace(lens, brief=Brief()).scores(lens.pixels, [target]))
    )


def test_contrasts_and_several_pictures_are_scored_at_once(bases: dict[str, Path]) -> None:
    lens = lens_of(talking(bases["qwen2-vl"], reads=False, prompt="{image}"))
    this, other = span(lens.model, "Chest film."), span(lens.model, "Skull film.")
    rows = pictures(3, SIZE)
    found = lens.scores(rows, [this, other, Contrast(this, other)])
    assert torch.allclose(found[:, 2], found[:, 0] - found[:, 1], atol=1e-5)
    assert found[1].tolist() == pytest.approx(
        lens.scores(rows[1:2], [this, other, Contrast(this, other)])[0].tolist(), abs=1e-4
    )
    assert lens.told.concepts is None
    chances = lens.chances(rows, [this, Contrast(this, other)])
    assert ((chances > 0) & (chances < 1)).all()
    with pytest.raises(UsageError, match="A captioner has no score for Concept"):
        lens.scores(rows, [Concept(CHEST)])
    assert family_of(lens) == "chat"
    assert default_method("chat") == "occlusion"


@pytest.mark.parametrize("kind", list(MAKERS))
def test_attention_is_that_of_transformers_and_lies_as_a_grid(bases: dict[str, Path], kind: str) -> None:
    lens = lens_of(talking(bases[kind], reads=False, prompt="{image}"))
    chat, spans = lens.chat, [span(lens.model, SAID, 0, 2), span(lens.model, SAID, 4, 5)]
    looks = chat_looks(lens, spans)
    answered = lens.answered(lens.pixels, spans[0].tokens)
    columns = (answered.given["input_ids"][0] == image_token(chat)).nonzero()[:, 0].tolist()
    assert looks.side == (4, 4)
    assert columns == list(range(looks.always, looks.always + len(columns)))
    assert looks.entries == answered.prompts[0] - 1
    assert torch.allclose(looks.scores, lens.scores(lens.pixels, spans)[0], atol=1e-4)
    chat.model.set_attn_implementation("eager")
    told = chat.model(**answered.given, output_attentions=True)
    chat.model.set_attn_implementation("sdpa")
    for ours, theirs in zip(looks.weights().writing, told.attentions, strict=True):
        assert torch.allclose(ours.weights[:1], theirs, atol=1e-5)
    # the slope of one layer, by autograd over a pass of its own
    log_p = told.logits[0, looks.entries : looks.entries + 2].log_softmax(-1)
    score = log_p.gather(1, torch.tensor(spans[0].tokens[:2])[:, None]).sum()
    (slope,) = torch.autograd.grad(score, told.attentions[0])
    wanted = (slope * told.attentions[0]).relu()
    assert torch.allclose(looks.relevances().writing[0].weights[:1], wanted, atol=1e-5)
    for method in ("chefer", "cross-attention"):
        maps = MethodChoice(method).make(lens)(lens, spans).maps
        assert maps.shape == (2, 4, 4)
        assert maps.isfinite().all()
        assert (maps > 0).any(dim=(1, 2)).all()
    assert chat.model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize(
    "method", ["grad-cam", "integrated-gradients", "lrp", "layer-cam", "hires-cam", "ablation-cam", "rollout"]
)
def test_methods_that_want_slopes_or_channels_are_refused(bases: dict[str, Path], method: str) -> None:
    lens = lens_of(talking(bases["gemma-3"], reads=False, prompt="{image}"))
    with pytest.raises(UsageError, match=r"Use (occlusion|grad-cam)"):
        MethodChoice(method).make(lens)(lens, [span(lens.model, SAID)])


def test_an_image_in_parts_has_no_grid(tmp_path: Path) -> None:
    model = talking(idefics3(tmp_path / "m", parts=True), reads=False, prompt="{image}")
    lens = replace(lens_of(model), pixels=pictures(1, 64))
    target = span(model, SAID)
    with pytest.raises(
        UsageError, match=r"in parts, which lie in no single grid. Use occlusion, or turn the"
    ):
        chat_looks(lens, [target])
    assert lens.scores(lens.pixels, [target]).isfinite().all()


def given(**more: Any) -> dict[str, Any]:
    return {"pixel_values": torch.zeros(1, 3, 4, 4), "input_ids": torch.zeros(1, 9), **more}


def test_grids_are_told_or_squares() -> None:
    config = mock.Mock()
    config.vision_config.spatial_merge_size = 2
    told = given(image_grid_thw=torch.tensor([[1, 4, 6]]), pixel_values=torch.zeros(24, 8))
    assert grid_of(told, config, torch.arange(3, 9)) == (2, 3)
    assert grid_of(given(), config, torch.arange(9)) == (3, 3)
    with pytest.raises(UsageError, match="as 8 tokens, which lie in no square"):
        grid_of(given(), config, torch.arange(8))
    for columns, pixels in (
        (torch.tensor([0, 1, 3, 4]), torch.zeros(1, 3, 4, 4)),
        (torch.arange(0), torch.zeros(1, 3, 4, 4)),
        (torch.arange(4), torch.zeros(2, 3, 4, 4)),
        (torch.arange(4), torch.zeros(1, 2, 3, 4, 4)),
    ):
        with pytest.raises(UsageError, match="in parts"):
            grid_of(given(pixel_values=pixels), config, columns)


def test_a_chat_without_attention_over_its_words_is_refused(
    bases: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lens = lens_of(talking(bases["qwen2-vl"], reads=False, prompt="{image}"))
    real = type(lens.chat).logits

    def silent(*asked: Any, **more: Any) -> Any:
        told = real(*asked, **more)
        told.attentions = (None,)
        return told

    monkeypatch.setattr(type(lens.chat), "logits", silent)
    with pytest.raises(UsageError, match=r"has no attention over all of its words to show. Use occlusion"):
        chat_looks(lens, [span(lens.model, SAID)])


def test_a_network_of_noise_takes_the_place_of_the_chat(bases: dict[str, Path]) -> None:
    lens = lens_of(talking(bases["idefics3"], reads=False, prompt="{image}"))
    target, before = span(lens.model, SAID), lens.chat.model
    occlusion = MethodChoice("occlusion", {"occlusion": {"grid": 3}}).make(lens)
    found = sanity_of(occlusion, lens, [target], stages=0)
    assert found.stages == ("all weights",)
    assert lens.chat.model is before
    parts = mock.Mock(top=object())
    changed = with_network(lens, parts)
    assert isinstance(changed, ChatLens)
    assert changed.chat.model is parts.top


def test_boxes_of_others_are_judged_by_the_chat_that_wrote(bases: dict[str, Path]) -> None:
    model = talking(bases["gemma-3"])
    subject = subject_of(model, said(), photo(), wanted_from(["spans"]))
    evidence = mock.Mock(key="k", kind=Kind.SPAN, label="pneumonia", place=(25, 34))
    (statement,) = with_audience([evidence], subject)
    assert isinstance(statement.target, Span)
    assert (
        model.scribe.tokenizer.decode(statement.target.tokens[statement.target.first : statement.target.last])
        == "pneumonia"
    )
    assert isinstance(statement.voices[0][0], ChatLens)


def test_a_chat_that_looks_beside_its_words_is_not_explained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="A blip looks at the picture beside its words"):
        check_explainable(talking(blip(tmp_path / "m"), reads=False, prompt="{image}"))


def test_a_reading_begins_with_a_chat_that_has_a_detector(bases: dict[str, Path]) -> None:
    model = talking(bases["qwen2-vl"])
    assert readable(model, "it") is model
    data = planted(8).split("valid")
    (look,) = looks(model, data)
    assert [one.image for one in look.lines] == list(data.ids)
    assert all({*one.concepts} == {*NAMES} for one in look.lines)
    with pytest.raises(UsageError, match="it names no concepts"):
        readable(talking(bases["qwen2-vl"], reads=False, prompt="{image}"), "it")
