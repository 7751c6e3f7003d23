"""Captioners asked about datasets: what they answer, for which images, and the log of how."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from captioning_samples_models import KINDS, WORDS, captioner, drawn, real

from radcap.captioning.models import (
    CaptionAnswers,
    Draft,
    Line,
    NeighbourCaption,
    open_captioner,
    opening,
    write_log,
)
from radcap.captioning.models import eyes as eyes_module
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.plain_models import NearestModel, TemplateModel
from radcap.captioning.settings import DetectorSettings, PostSettings
from radcap.captioning.texts import finished
from radcap.core import Missing, Task, UsageError
from radcap.datasets import Dataset
from radcap.systems.predicting import opened_model, predict, task_of
from radcap.vision.pictures import View
from radcap.vision.pictures.streaming import stream
from radcap.vision.settings import BackboneSettings, ImageSettings
from radcap.vision.training.devices import Place, pick_place
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from radcap.captioning.models import Captioner, CaptionFolder


@pytest.fixture(scope="module")
def opened(captioners: dict[str, CaptionFolder]) -> dict[str, Captioner]:
    return {name: open_captioner(one.path, "cpu") for name, one in captioners.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_image_has_a_caption_that_can_be_handed_in(kind: str, opened: dict[str, Captioner]) -> None:
    data = real().split("test")
    seen: list[int] = []
    answers = opened[kind].answers(data, lambda _, done: seen.append(done))
    assert list(answers.ids) == data.ids
    assert seen[-1] == len(data)
    assert not answers.refused
    for caption in answers.captions().values():
        assert caption == finished(caption, PostSettings(words=WORDS))
        assert 1 <= len(caption.split()) <= WORDS


@pytest.mark.parametrize("kind", KINDS)
def test_one_image_and_none_are_answered(kind: str, opened: dict[str, Captioner]) -> None:
    data = real()
    assert len(opened[kind].answers(data[:1]).lines) == 1
    nothing = opened[kind].answers(data[:0])
    assert nothing.lines == ()
    assert nothing.run([]).cells == {}
    assert list(nothing.log_lines()) == []


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "frequent"])
def test_images_that_cannot_be_read_are_named_and_have_the_fallback(
    kind: str, opened: dict[str, Captioner]
) -> None:
    data = drawn().split("test")
    answers = opened[kind].answers(data)
    assert len(answers.refused) == 3
    assert set(answers.ids) | set(answers.refused) == set(data.ids)
    run = answers.run(data.ids, "mine")
    assert (run.task, run.name, list(run.cells)) == (Task.CAPTIONS, "mine", data.ids)
    assert {run.cells[one] for one in answers.refused} == {"Radiology image."}
    told = answers.to_json()
    assert told == {"captions": answers.captions(), "refused": dict(answers.refused)}
    broken = np.array([fault != "" for fault in data.column("planted").to_pylist()])
    only = opened[kind].answers(data.filter(broken))
    assert (only.lines, len(only.refused)) == ((), 3)


def test_the_commonest_caption_is_said_without_looking(opened: dict[str, Captioner]) -> None:
    data = drawn()
    answers = opened["frequent"].answers(data)
    assert answers.captions() == dict.fromkeys(data.ids, "Chest radiograph. No abnormality.")
    assert not answers.refused


def test_the_fallback_is_handed_in_as_any_caption_is(opened: dict[str, Captioner]) -> None:
    post = PostSettings(words=3, fallback='  an image,\nof "something" that cannot be read')
    for name in ("template", "nearest"):
        model = opened[name]
        assert isinstance(model, TemplateModel | NearestModel)
        answers = replace(model, post=post).answers(drawn().split("test"))
        assert answers.fallback == finished("", post) == "An image."


@pytest.mark.parametrize("kind", ["writer", "apart", "alone", "words", "nearest", "agreed", "template"])
def test_batches_do_not_change_captions(
    kind: str, opened: dict[str, Captioner], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = real().split("valid")
    said: list[list[str]] = []
    for size in (1, 5, 64):
        with monkeypatch.context() as patch:
            patch.setattr(eyes_module, "_ON_CPU", size)
            said.append(list(opened[kind].answers(data).captions().values()))
    assert said[0] == said[1] == said[2]
    alone = [opened[kind].answers(data[place : place + 1]).lines[0].caption for place in range(len(data))]
    assert alone == said[0]


def test_an_opened_captioner_answers_as_its_folder_does(captioners: dict[str, CaptionFolder]) -> None:
    path, data = captioners["writer"].path, real()
    model = opened_model(path, "cpu")
    one, other = predict(model, data, split="test"), predict(str(path), data, split="test", device="cpu")
    assert isinstance(one, CaptionAnswers)
    assert isinstance(other, CaptionAnswers)
    assert one.captions() == other.captions()
    assert model.labels == captioners["writer"].labels()


def test_a_dataset_may_be_a_folder(captioners: dict[str, CaptionFolder], tmp_path: Path) -> None:
    real().split("test").save(tmp_path / "data")
    told = predict(captioners["frequent"].path, tmp_path / "data")
    assert list(told.ids) == real().split("test").ids


@pytest.mark.parametrize(
    ("card", "task"),
    [
        ('{"task": "captions"}', "captions"),
        ('{"task": "concepts"}', "concepts"),
        ("{}", "concepts"),
        ('{"task": "prose"}', "concepts"),
        ('{"task": ["captions"]}', "concepts"),
        ("[]", "concepts"),
        ("nonsense", "concepts"),
        ("[" * 100_000, "concepts"),
        (b"\xff\xfe\x00", "concepts"),
    ],
    ids=["captions", "concepts", "none", "other", "list", "no object", "no json", "deep", "bytes"],
)
def test_a_card_says_what_a_model_was_made_for(card: str | bytes, task: str, tmp_path: Path) -> None:
    (tmp_path / "card.json").write_bytes(card.encode() if isinstance(card, str) else card)
    assert task_of(tmp_path) == task


def test_where_torch_is_missing_the_way_to_it_is_told(
    captioners: dict[str, CaptionFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith("radcap.captioning.models")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "radcap.captioning.models", None)
    with pytest.raises(Missing, match=r"pip install 'radcap\[read\]'"):
        opened_model(captioners["alone"].path)


def test_the_log_says_how_each_caption_came_about(opened: dict[str, Captioner], tmp_path: Path) -> None:
    data = real().split("test")
    answers = opened["writer"].answers(data)
    write_log(answers, tmp_path / "log.jsonl")
    lines = [json.loads(one) for one in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [one["image"] for one in lines] == data.ids
    trained = {text for row in range(len(real())) for text in [one.text for one in real()[row].captions]}
    for line, known in zip(lines, answers.lines, strict=True):
        assert set(line) == {"image", "caption", "by", "candidates", "concepts", "neighbours"}
        assert line["caption"] == known.caption
        assert 1 <= len(line["candidates"]) <= 2
        assert set(line["candidates"][0]) == {"text", "score", "log_probability", "unsupported"}
        scores = [one["score"] for one in line["candidates"]]
        assert scores == sorted(scores, reverse=True)
        assert all(one["log_probability"] < 0 for one in line["candidates"])
        assert line["concepts"] == dict(known.concepts)
        assert all(0 <= p <= 1 for p in line["concepts"].values())
        assert len(line["neighbours"]) == 2
        assert line["neighbours"][0]["similarity"] >= line["neighbours"][1]["similarity"]
        assert {one["caption"] for one in line["neighbours"]} <= trained


def test_a_log_keeps_every_character_and_one_line_for_each_image(tmp_path: Path) -> None:
    draft = Draft("ä\u2028 \n 'x' \"y\"", -1.5, None, ("C1",))
    near = NeighbourCaption("train_1", 0.5, "Fläche")
    line = Line("a", "Ein Bild.", "beam", (draft,), {"C1": 0.25}, (near,))
    answers = CaptionAnswers((line, Line("b", "Zwei.", "frequent")), "Radiology image.")
    write_log(answers, tmp_path / "log.jsonl")
    raw = (tmp_path / "log.jsonl").read_bytes()
    assert raw.count(b"\n") == 2
    assert "Fläche".encode() in raw
    first, second = map(json.loads, raw.decode().strip().split("\n"))
    assert first["candidates"] == [
        {"text": draft.text, "score": -1.5, "log_probability": None, "unsupported": ["C1"]}
    ]
    assert first["neighbours"] == [{"image": "train_1", "similarity": 0.5, "caption": "Fläche"}]
    assert (second["candidates"], second["concepts"], second["neighbours"]) == ([], {}, [])


def test_a_log_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    odd: Any = object()
    answers = CaptionAnswers((Line("a", "A.", "beam"), Line("b", odd, "beam")), "Radiology image.")
    (tmp_path / "log.jsonl").write_text("before")
    with pytest.raises(TypeError):
        write_log(answers, tmp_path / "log.jsonl")
    assert (tmp_path / "log.jsonl").read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["log.jsonl"]


def test_the_likeliest_words_come_in_the_order_of_their_probability(opened: dict[str, Captioner]) -> None:
    for line in opened["words"].answers(real().split("test")).lines:
        scores = [one.score for one in line.drafts]
        assert len(scores) == 6
        assert scores == sorted(scores, reverse=True)
        assert len({one.text for one in line.drafts}) == 6


def test_a_training_image_is_its_own_nearest(opened: dict[str, Captioner]) -> None:
    train = real().split("train")
    told = opened["nearest"].answers(train[:10])
    assert [one.neighbours[0].image for one in told.lines] == train.ids[:10]
    assert all(one.neighbours[0].similarity == pytest.approx(1, abs=2e-3) for one in told.lines)
    agreed = opened["agreed"].answers(train[:10])
    for line in agreed.lines:
        best = max(line.drafts, key=lambda one: one.score)
        assert len(line.drafts) == len(line.neighbours) == 3
        assert line.caption == finished(best.text, PostSettings(words=WORDS))


def test_a_template_says_what_its_detector_decides_for(
    opened: dict[str, Captioner], captioners: dict[str, CaptionFolder]
) -> None:
    data = real().split("test")
    detector = predict(captioners["template"].concepts.path, data, device="cpu")
    told = opened["template"].answers(data)
    assert [list(one.concepts) for one in told.lines] == detector.concepts()  # type: ignore[union-attr]
    assert opened["template"].labels == detector.labels  # type: ignore[union-attr]
    assert opened["frequent"].labels == opened["nearest"].labels == opened["words"].labels == ()


def test_a_detector_that_only_decides_tells_its_template_all_the_same(opened: dict[str, Captioner]) -> None:
    model = opened["template"]
    assert isinstance(model, TemplateModel)
    [sight] = model.eyes.look(real().split("test")[:3])
    assert sight.answers is not None
    sure = replace(sight, answers=replace(sight.answers, probabilities=None))
    for line in model.lines(sure):
        assert set(line.concepts.values()) <= {1.0}


def gated(folder: CaptionFolder, copy: Path, offset: float) -> Path:
    """The captioner with a detector that takes every image for radiology, or none."""
    shutil.copytree(folder.path, copy)
    gate = {"weight": torch.zeros(1280), "bias": torch.tensor([offset])}
    write_weight_file(gate, copy / "concepts" / "gate.safetensors")
    return copy


@pytest.mark.parametrize("kind", ["writer", "apart", "template"])
def test_images_that_are_no_radiology_images_are_told(
    kind: str, captioners: dict[str, CaptionFolder], tmp_path: Path
) -> None:
    data = real().split("test")
    plain = open_captioner(captioners[kind].path, "cpu").answers(data)
    assert plain.not_radiology() == []
    for offset, told in ((-5.0, data.ids), (5.0, [])):
        model = open_captioner(gated(captioners[kind], tmp_path / str(offset), offset), "cpu")
        answers = model.answers(data)
        assert answers.not_radiology() == told
        assert answers.captions() == plain.captions()


def test_a_backbone_of_a_package_is_had_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was not trained is not kept with the captioner either."""
    asked: list[bool] = []

    def make(*_: object, size: int, weights: bool) -> torch.nn.Module:
        asked.append(weights)
        return torch.nn.Linear(size, 1)

    monkeypatch.setattr(opening, "make_backbone", make)
    frozen = captioner("a", "lstm", backbone=BackboneSettings(weights="package", frozen=True))
    learnt = captioner("a", "lstm", backbone=BackboneSettings(weights="package"))
    assert opening._backbone(frozen, {}).training is False
    with pytest.raises(RuntimeError, match="Missing key"):
        opening._backbone(learnt, {})
    assert asked == [True, False]
    assert not opening.is_kept(captioner("a", "lstm", detector=DetectorSettings("zoo:concepts")))


def test_something_must_look(opened: dict[str, Captioner]) -> None:
    with pytest.raises(ValueError, match="give a backbone or a detector"):
        Eyes(pick_place("cpu"), View(ImageSettings(size=32)))


def test_eyes_on_a_gpu_decode_ahead(opened: dict[str, Captioner], monkeypatch: pytest.MonkeyPatch) -> None:
    """A place that says it is a GPU, with tensors that stay where they are."""
    model: Any = opened["alone"]
    asked: list[tuple[int, int]] = []
    real_stream: Any = stream

    def heard(dataset: Dataset, view: View, size: int, threads: int) -> Any:
        asked.append((size, threads))
        return real_stream(dataset, view, size, threads=threads)

    monkeypatch.setattr(eyes_module, "stream", heard)
    eyes = replace(model.eyes, place=Place(torch.device("cuda")))
    monkeypatch.setattr(Eyes, "_seen", lambda self, shot, other: shot.ids)
    assert [len(one) for one in eyes.look(real().split("test"))] == [6]
    assert asked == [(256, 1)]


CHECK = """
import sys
import radcap
assert not {{"torch", "numpy", "pyarrow"}} & set(sys.modules), "import radcap is no longer quick"
told = radcap.predict({path!r}, {data!r}, device="cpu")
assert len(told.ids) == 6
print(*sys.modules)
"""


def test_answering_with_a_small_captioner_imports_no_network_library(
    captioners: dict[str, CaptionFolder], tmp_path: Path
) -> None:
    real().split("test").save(tmp_path / "data")
    code = CHECK.format(path=str(captioners["writer"].path), data=str(tmp_path / "data"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "torch" in loaded
    assert not loaded & {"timm", "transformers", "torchvision", "tokenizers", "peft", "sklearn", "typer"}


def test_a_device_that_is_none_is_refused(captioners: dict[str, CaptionFolder]) -> None:
    with pytest.raises(UsageError, match="Write auto, cpu, cuda or cuda:0"):
        open_captioner(captioners["alone"].path, "gpu")
