"""Captioners that are trained with a refiner: what lies in their folder, and what they say when opened."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from captioning_samples_text import causal_folder, seq2seq_folder
from captioning_samples_training import (
    CPU,
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
    two_colours,
)
from endpoint_samples import Reply as Sent
from endpoint_samples import chat, serving

from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.models import CaptionFolder, open_captioner
from radcap.captioning.models.plain_models import FrequentModel, NearestModel
from radcap.captioning.models.writer_model import WriterModel
from radcap.captioning.refining.opening import NEAREST, REFINER, needs_beside
from radcap.captioning.refining.refined_model import RefinedModel
from radcap.captioning.settings import (
    CaptionTrainSettings,
    ConditionSettings,
    DetectorSettings,
    PostSettings,
)
from radcap.captioning.system import CaptionMember, CaptionSystem
from radcap.captioning.training import refining
from radcap.captioning.training.judging import held_figures
from radcap.captioning.training.maker import CaptionMaker
from radcap.captioning.training.parts import Captioned, CaptionParts
from radcap.core import InputError, Missing, UsageError
from radcap.core.endpoints import KEY, OPENAI_KEY
from radcap.detection.examples import groups_of
from radcap.detection.models import ModelFolder
from radcap.explanation.subjects.opening import check_explainable
from radcap.reading.looking import readable
from radcap.vision.settings import BackboneSettings
from radcap.vision.training import learn

__all__ = ["known_backbone"]

SECRET = "sk-very-secret"  # noqa: S105 - of nobody
FROZEN = BackboneSettings(name=TINY, frozen=True)


@pytest.fixture(autouse=True)
def saved_after_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "learn", partial(learn, save_s=0))


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seq2seq_folder(tmp_path_factory.mktemp("t5"))


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> ModelFolder:
    return detector(tmp_path_factory.mktemp("seer") / "d")


def system(kind: str, refine: RefineSettings, **tables: Any) -> CaptionSystem:
    return captioner(kind, refine=refine, **{"backbone": FROZEN, "post": PostSettings(words=20)} | tables)


def aligner(t5: Path, **keys: Any) -> RefineSettings:
    given: dict[str, Any] = {"kind": "align", "model": str(t5), "longest": 16, "batch": 8, "lr": 1e-2}
    keys = given | {"epochs": 2} | keys
    return RefineSettings(**keys)


def held_of(data: Any, about: CaptionSystem) -> Captioned:
    held = CaptionParts.of(data, about.data).held
    assert held is not None
    return held


@pytest.fixture(scope="module")
def aligned(t5: Path, tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> CaptionFolder:
    heard = Heard()
    out = tmp_path_factory.mktemp("aligned") / "m"
    return taught(system("nearest", aligner(t5)), out, two_colours(), heard.talk)


def test_an_aligner_is_learnt_and_kept_as_transformers_lays_it_out(aligned: CaptionFolder, t5: Path) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    card = aligned.card()
    told = card["refine"]
    assert (told["kind"], told["model"], told["prompt"], told["pairs"]) == ("align", str(t5), "{caption}", 24)
    assert "captions that the captioner wrote of images it had learnt from" in told["saw"]
    assert told["stage"]["epochs"] == 2
    assert set(card["held_out"]) == set(card["held_out_drafts"])
    theirs = AutoModelForSeq2SeqLM.from_pretrained(aligned.path / REFINER)
    assert AutoTokenizer.from_pretrained(aligned.path / REFINER)("CT").input_ids[-1] == 1
    assert not same_weights(aligned.path / REFINER / "model.safetensors", t5 / "model.safetensors")
    assert theirs.generation_config.decoder_start_token_id == 0
    assert str(t5) not in (aligned.path / REFINER / "config.json").read_text()
    assert not aligned.training.exists()


def test_the_opened_captioner_says_what_the_card_was_written_of(aligned: CaptionFolder) -> None:
    model = open_captioner(aligned.path, "cpu")
    assert isinstance(model, RefinedModel)
    held = held_of(two_colours(), aligned.system())
    answers = model.answers(held.images)
    assert held_figures(answers, held) == aligned.card()["held_out"]
    assert held_figures(model.drafts(held.images), held) == aligned.card()["held_out_drafts"]
    assert {one.refined.kind for one in answers.lines if one.refined} == {"align"}
    for refuse in (check_explainable, partial(readable, name="mine")):
        with pytest.raises(UsageError, match=r"--set refine\.kind=none"):
            refuse(model)


def test_weights_of_another_refiner_are_refused(aligned: CaptionFolder, t5: Path, tmp_path: Path) -> None:
    other = CaptionFolder(Path(shutil.copytree(aligned.path, tmp_path / "m")))
    shutil.copy(t5 / "model.safetensors", other.path / REFINER / "model.safetensors")
    with pytest.raises(InputError, match=r"its weights are not those that card\.json was written for"):
        open_captioner(other.path, "cpu")
    card = {key: value for key, value in other.card().items() if key != "refine"}
    (other.path / "card.json").write_text(json.dumps(card))
    with pytest.raises(InputError, match="its weights are not those"):
        open_captioner(other.path, "cpu")


def test_more_epochs_come_nearer_to_what_is_true(aligned: CaptionFolder, t5: Path, tmp_path: Path) -> None:
    """Two captions are all there are: a model that learnt them is surer of them than one that did not."""
    longer = aligner(t5, epochs=15, batch=4, lr=2e-2)
    card = taught(system("nearest", longer), tmp_path / "m", two_colours()).card()
    losses = [one["refine"]["stage"]["held_loss"] for one in (aligned.card(), card)]
    assert losses[1] < losses[0] / 2


def test_a_refiner_that_was_killed_goes_on_where_it_stopped(
    aligned: CaptionFolder, t5: Path, tmp_path: Path
) -> None:
    about = system("nearest", aligner(t5))
    with pytest.raises(Killed):
        taught(about, tmp_path / "m", two_colours(), killer("refine", 1))
    heard = Heard()
    again = taught(about, tmp_path / "m", two_colours(), heard.talk)
    assert heard.epochs() == ["epoch 2 of 2"]
    weights = f"{REFINER}/model.safetensors"
    assert same_weights(again.path / weights, aligned.path / weights)


def test_an_image_is_never_its_own_neighbour_where_it_is_learnt_from(
    aligned: CaptionFolder, seer: ModelFolder, tmp_path: Path
) -> None:
    fit = two_colours().split("train")
    model = open_captioner(aligned.path, "cpu")
    assert isinstance(model, RefinedModel)
    assert isinstance(model.captioner, NearestModel)
    own = {one.image: one.neighbours[0].image for one in model.captioner.answers(fit).lines}
    assert all(image == near for image, near in own.items())
    frequent = FrequentModel("CT.", PostSettings())
    for turned in (model.apart(), replace(model, captioner=frequent, beside=model.captioner).apart()):
        apart = {one.image: one.neighbours[0].image for one in turned.drafts(fit).lines}
        assert len(apart) == len(fit)
        assert not any(image == near for image, near in apart.items())
    leaning = DetectorSettings(str(seer.path))
    told = captioner(condition=ConditionSettings(neighbours=2), detector=leaning)
    writer = open_captioner(taught(told, tmp_path / "m").path, "cpu")
    assert isinstance(writer, WriterModel)
    images = drawn().split("train")
    groups = dict(zip(images.ids, groups_of(images, images.ids), strict=True))
    for one in writer.apart().answers(images).lines:
        assert groups[one.image] not in {groups[near.image] for near in one.neighbours}
    alone = replace(writer, recall=None)
    assert alone.apart() is alone


def test_neighbours_are_found_beside_a_captioner_that_knows_none(tmp_path: Path) -> None:
    """The stand-in needs no model; after the refit, images of both splits are remembered."""
    heard = Heard()
    about = system(
        "transformer",
        RefineSettings(kind="summarise", model="consensus"),
        decoder={"neighbours": 3},
        train=CaptionTrainSettings(epochs=1, batch=16, lr=1e-2, refit=True),
    )
    folder = taught(about, tmp_path / "m", two_colours(), heard.talk)
    assert heard.has("Neighbours are found by a backbone with random weights. Give [detector] model")
    card = folder.card()
    assert card["refine"] == {"kind": "summarise", "model": "consensus"}
    assert card["held_out_unrefined"] == 0
    nearest = CaptionFolder(folder.path / NEAREST)
    assert (nearest.card()["images"], nearest.system().decoder.neighbours) == (36, 3)
    answers = open_captioner(folder.path, "cpu").answers(two_colours().split("test"))
    for one in answers.lines:
        assert one.by == "greedy, summarise"
        assert len(one.neighbours) == 3
        assert one.caption in {near.caption for near in one.neighbours}


def test_a_detector_names_the_concepts_that_a_captioner_does_not(
    seer: ModelFolder, t5: Path, tmp_path: Path
) -> None:
    wanted = RefineSettings(kind="rewrite", model=str(t5), longest=8, prompt="{caption}: {concepts}")
    about = system("words", wanted, detector=DetectorSettings(str(seer.path)))
    folder = taught(about, tmp_path / "m")
    names = ModelFolder(folder.path / NEAREST / "concepts").names()
    model = open_captioner(folder.path, "cpu")
    assert isinstance(model, RefinedModel)
    assert model.names == names
    drafts = model.drafts(drawn().split("test"))
    told = [model.material(one) for one in drafts.lines]
    assert any(one.concepts for one in told)
    assert {name for one in told for name in one.concepts} <= set(names.values())


def needs(kind: str, refine: RefineSettings, *, k: int = 0, members: bool = False) -> bool:
    about = captioner(kind, refine=refine, condition=ConditionSettings(neighbours=k))
    return needs_beside(replace(about, member=(CaptionMember(),) if members else ()))


def test_when_another_captioner_is_needed_beside() -> None:
    similar, summary = RefineSettings(kind="rewrite", similar=0.5), RefineSettings(kind="summarise")
    named = RefineSettings(kind="rewrite", prompt="{caption} {concepts}")
    asked = [
        needs("transformer", RefineSettings(kind="rewrite")),
        needs("nearest", similar),
        needs("transformer", summary, k=2),
        needs("transformer", named),
    ]
    assert not any(asked)
    asked = [
        needs("transformer", similar),
        needs("frequent", summary),
        needs("nearest", similar, members=True),
        needs("words", named),
        needs("transformer", named, members=True),
        needs("transformer", RefineSettings(kind="fuse", prompt="{neighbours}")),
    ]
    assert all(asked)


@pytest.mark.parametrize(
    ("refine", "error", "told"),
    [
        (
            RefineSettings(kind="rewrite"),
            Missing,
            r"None is named\. Give a folder as \[refine\] model, or smollm2",
        ),
        (RefineSettings(kind="fuse"), Missing, r"write \[refine\] model = 'consensus'"),
        (RefineSettings(kind="fuse", model="no such"), Missing, r"\[refine\] model names it"),
        (RefineSettings(kind="rewrite", endpoint="https://host"), Missing, "The name of a language model"),
        (
            RefineSettings(kind="rewrite", endpoint="ftp://host", model="m"),
            UsageError,
            "The endpoint is 'ftp",
        ),
    ],
)
def test_what_is_not_there_is_told_before_anything_is_trained(
    refine: RefineSettings, error: type[Exception], told: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=told):
        taught(system("nearest", refine), tmp_path / "m", two_colours())
    assert not (tmp_path / "m").exists()


def test_what_there_is_nothing_to_learn_from_is_told(t5: Path, tmp_path: Path) -> None:
    fuser = system("transformer", aligner(t5, kind="fuse"))
    with pytest.raises(UsageError, match="nothing to learn from: there is one draft alone"):
        taught(fuser, tmp_path / "a", two_colours())
    small = seq2seq_folder(tmp_path / "small", "Bart", max_position_embeddings=4)
    with pytest.raises(UsageError, match="nothing to learn from: every pair is too long"):
        taught(system("frequent", aligner(small)), tmp_path / "b", two_colours())


def test_without_held_out_images_the_last_weights_are_kept(tmp_path: Path) -> None:
    """A causal model learns as well; of several processes, only the first writes."""
    llama = causal_folder(tmp_path / "llama")
    about = system("frequent", aligner(llama, epochs=1))
    folder = taught(about, tmp_path / "m", two_colours().split("train"))
    card = folder.card()
    assert (card["held_out"], "held_out_drafts" in card) == (None, False)
    assert card["refine"]["prompt"].startswith("This caption of a radiology image was written by a machine")
    parts = CaptionParts.of(two_colours(), about.data)
    out = CaptionFolder(tmp_path / "second")
    maker = CaptionMaker(about, parts, out, replace(CPU, rank=1), Heard().talk, {})
    captioner_alone = open_captioner(folder.path, "cpu")
    assert isinstance(captioner_alone, RefinedModel)
    told = refining.refined_figures(maker, captioner_alone.captioner, parts.held)
    assert told["held_out"] is None
    assert "weights" not in told["refine"]
    assert not (out.path / REFINER).exists()


@pytest.mark.loopback
def test_an_endpoint_rewrites_and_the_key_stands_nowhere(
    aligned: CaptionFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (OPENAI_KEY, "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(KEY, SECRET)
    heard, count = Heard(), [0]

    def answer(body: dict[str, Any]) -> Sent:
        count[0] += 1
        return Sent(500, SECRET.encode()) if count[0] == 1 else chat("Rewritten CT of the chest.")

    with serving(answer=answer) as (url, asked):
        wanted = RefineSettings(kind="rewrite", model="writer", endpoint=url, retries=0, similar=0.1)
        known = replace(FROZEN, weights=str(aligned.path))  # drawn by no lot
        folder = taught(system("transformer", wanted, backbone=known), tmp_path / "m", drawn(), heard.talk)
        assert not heard.has("random weights")
        assert len(asked) >= 2
        model = open_captioner(folder.path, "cpu")
        answers = model.answers(drawn().split("test"))
    assert answers.unrefined == {}
    assert set(answers.captions().values()) == {"Rewritten CT of the chest."}
    assert answers.lines[0].neighbours
    assert folder.card()["held_out_unrefined"] >= 1
    assert heard.has("of the held-out split were not refined: http://127.0.0.1:")
    written = b"".join(one.read_bytes() for one in folder.path.rglob("*") if one.is_file())
    assert SECRET.encode() not in written
    assert not heard.has(SECRET)
