"""Caption systems with members from a file to captions: trained, gone on with, joined, opened, damaged."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from captioning_samples_training import (
    CPU,
    SIZE,
    TINY,
    Heard,
    Killed,
    captioner,
    killer,
    known_backbone,
    make_tiny,
    taught,
)
from commands import Command
from dataset_samples import dataset_of, png, row
from reranking_samples import clip_folder

import radcap
from radcap.captioning.joining_settings import JoinSettings, RerankSettings
from radcap.captioning.models import CaptionAnswers, CaptionFolder, open_captioner
from radcap.captioning.models.eyes import Eyes
from radcap.captioning.models.members_model import MembersModel
from radcap.captioning.settings import (
    CaptionDataSettings,
    CaptionTrainSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    PostSettings,
    TokenizerSettings,
)
from radcap.captioning.system import CaptionMember, CaptionSystem
from radcap.captioning.training import joining
from radcap.captioning.training.choosing import seen_vectors
from radcap.captioning.training.joining import members_told
from radcap.captioning.training.parts import Captioned
from radcap.core import InputError, RadcapError, UsageError
from radcap.datasets import Dataset
from radcap.detection.talk import Talk
from radcap.explanation.subjects.opening import check_explainable
from radcap.vision.pictures import View
from radcap.vision.settings import BackboneSettings, ImageSettings
from radcap.vision.training import Place

__all__ = ["known_backbone"]

BRIGHT = "Bright CT with pneumothorax."
DARK = "Dark MRI of the abdomen in the axial plane without contrast medium."


@cache
def planted(images: int = 48) -> Dataset:
    """Bright images have short captions that are original, dark ones long captions that are composed."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    for number in range(images):
        split, is_bright = ("train", "train", "valid", "test")[number % 4], number // 4 % 2 == 0
        colour = 200 if is_bright else 40
        files[f"{number}.png"] = png(rng.integers(colour - 30, colour + 30, (SIZE, SIZE), np.uint8))
        text, source = (BRIGHT, "original") if is_bright else (DARK, "composed")
        told = [{"text": text, "source": source, "language": "en"}]
        rows.append(row(str(number), split, captions=told))
    return dataset_of(rows, files)


def truth(data: Dataset) -> dict[str, str]:
    return {record.id: record.captions[0].text for record in data}


def member(name: str, kind: str = "frequent", **tables: Any) -> CaptionMember:
    given: dict[str, Any] = {
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(name=TINY, frozen=True),
        "tokenizer": TokenizerSettings(size=300),
        "train": CaptionTrainSettings(epochs=1, batch=16, lr=1e-2),
        "generate": GenerateSettings(beams=2, longest=8),
    } | tables
    decoder = DecoderSettings(kind=kind, width=16, layers=1, heads=2, longest=30, drop=0.0)
    return CaptionMember(name=name, decoder=decoder, **given)


def by_source(source: Any, **tables: Any) -> CaptionMember:
    """Says the commonest caption of a source, whatever the image."""
    return member(str(source), data=CaptionDataSettings(captions=source), **tables)


def system(*members: CaptionMember, **tables: Any) -> CaptionSystem:
    return CaptionSystem(name="whole", task="captions", member=members, **tables)


def asked(folder: CaptionFolder, data: Dataset | None = None, split: str = "test") -> CaptionAnswers:
    told = radcap.predict(folder.path, data or planted(), split=split)
    assert isinstance(told, CaptionAnswers)
    return told


def eyed() -> CaptionMember:
    """Has eyes, and a caption of its own."""
    return member("near", "nearest", data=CaptionDataSettings(most=4))


@pytest.fixture(scope="module")
def aligned(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> CaptionFolder:
    """Two members that see nothing, a third with eyes, and an alignment that is learnt."""
    members = by_source("original"), by_source("composed"), eyed()
    joined = system(*members, rerank=RerankSettings("alignment"), post=PostSettings(words=30))
    return taught(joined, tmp_path_factory.mktemp("aligned") / "m", planted())


@pytest.fixture(scope="module")
def routed(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> CaptionFolder:
    """ISIA 2017 in small: a captioner for each bucket of lengths, and the nearest image's caption."""
    short = member("short", data=CaptionDataSettings(most=6))
    long = member("long", "transformer", data=CaptionDataSettings(least=7))
    near = member("near", "nearest", data=CaptionDataSettings(captions="original"))
    join = JoinSettings("router", append=("near",))
    return taught(system(short, long, near, join=join), tmp_path_factory.mktemp("routed") / "m", planted())


def test_an_alignment_picks_the_caption_of_the_image(aligned: CaptionFolder) -> None:
    answers = asked(aligned)
    wanted = truth(planted())
    assert answers.captions() == {image: wanted[image] for image in answers.ids}
    for line in answers.lines:
        assert line.by == "alignment"
        assert {one.text for one in line.drafts} == {BRIGHT, DARK}
        assert {one.source for one in line.drafts} == {"original, near", "composed"}
    assert set(answers.captions().values()) == {BRIGHT, DARK}


def test_the_card_knows_the_members_and_the_whole(aligned: CaptionFolder) -> None:
    card = aligned.card()
    assert {name: one["decoder"] for name, one in card["members"].items()} == {
        "original": "frequent",
        "composed": "frequent",
        "near": "nearest",
    }
    for name, one in card["members"].items():
        assert one["held_out"] == aligned.member(name).card()["held_out"]
    held = card["held_out"]
    assert {source: one["rouge1"]["value"] for source, one in held.items()} == {
        "composed": 1.0,
        "original": 1.0,
    }
    assert (card["join"], card["router"], card["task"]) == ("pool", None, "captions")
    assert "reranker/alignment.safetensors" in card["parts"]
    assert "members/near/card.json" in card["parts"]
    assert not aligned.training.exists()
    again = aligned.system()
    assert [one.name for one in again.member] == ["original", "composed", "near"]
    assert again.rerank.by == "alignment"


def test_the_log_says_who_wrote_a_draft(aligned: CaptionFolder, tmp_path: Path, radcap: Command) -> None:
    planted().save(tmp_path / "data")
    log = tmp_path / "log.jsonl"
    done = radcap(
        "predict",
        aligned.path,
        tmp_path / "data",
        "--split",
        "test",
        "--out",
        tmp_path / "run.csv",
        "--log",
        log,
    )
    assert done.code == 0, done.err
    lines = [json.loads(one) for one in log.read_text().splitlines()]
    assert len(lines) == 12
    for line in lines:
        assert [*line] == ["image", "caption", "by", "candidates", "concepts", "neighbours"]
        assert [one["source"] for one in line["candidates"]] in (
            ["original, near", "composed"],
            ["composed", "original, near"],
        )


def test_the_router_asks_whose_captions_are_as_long(routed: CaptionFolder) -> None:
    answers, wanted = asked(routed), truth(planted())
    for line in answers.lines:
        is_bright = wanted[line.image] == BRIGHT
        assert {one.source for one in line.drafts} == {"short" if is_bright else "long"}
        assert line.by == "router"
        assert line.neighbours
        assert line.caption.endswith(BRIGHT)
        assert is_bright == (line.caption == BRIGHT)  # said once
    card = routed.card()
    assert card["router"] == {
        "learner": "svm",
        "learnt_from": {"short": 12, "long": 12},
        "in_no_bucket": 0,
        "held_out": {"n": 12, "right": 1.0},
    }
    assert "router/learner.safetensors" in card["parts"]
    assert isinstance(open_captioner(routed.path), MembersModel)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("members/near/card.json", "gone"),
        ("members/near", "gone"),
        ("members/long/model.safetensors", "changed"),
        ("members/long/model.safetensors", "gone"),
        ("members/short/card.json", "changed"),
        ("router/learner.safetensors", "changed"),
        ("router/learner.safetensors", "gone"),
        ("members/near/neighbours/more.safetensors", "added"),
    ],
)
def test_parts_that_are_gone_or_others_are_refused(
    name: str, how: str, routed: CaptionFolder, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(routed.path, copy)
    if how == "gone":
        (shutil.rmtree if (copy / name).is_dir() else Path.unlink)(copy / name)
    else:
        (copy / name).write_bytes(b"other")
    wanted = name if name.endswith(("json", "tensors")) else f"{name}/card.json"
    why = "it is not there" if how == "gone" else "it is not the file that card.json was written for"
    with pytest.raises(InputError) as caught:
        open_captioner(copy)
    assert wanted in str(caught.value)
    assert why in str(caught.value)


def test_a_folder_whose_members_are_named_by_files_is_refused(routed: CaptionFolder, tmp_path: Path) -> None:
    copy = CaptionFolder(tmp_path / "copy")
    shutil.copytree(routed.path, copy.path)
    text = (copy.path / "system.toml").read_text()
    head = text.partition("\n[[member]]")[0]
    (copy.path / "system.toml").write_text(f"{head}\n[[member]]\nfile = 'radcap/quick-captions'\n")
    with pytest.raises(InputError, match="its members are not whole: one is named by the file"):
        copy.system()


def test_a_killed_training_goes_on_with_the_member_at_work(tmp_path: Path) -> None:
    data = planted(16)
    members = by_source("original"), member("writer", "transformer"), by_source("composed")
    joined = system(*members, join=JoinSettings("concatenate"))
    with pytest.raises(Killed):
        taught(joined, tmp_path / "m", data, killer("captions", 1))
    folder = CaptionFolder(tmp_path / "m")
    assert folder.member("original").is_whole
    made = (folder.member_path("original") / "card.json").stat().st_mtime_ns
    assert not folder.is_whole
    with pytest.raises(UsageError, match="was begun with other settings or other data"):
        taught(system(*members), tmp_path / "m", data)
    heard = Heard()
    taught(joined, tmp_path / "m", data, heard.talk)
    assert heard.has("Member 3 of 3: composed")
    assert (folder.member_path("original") / "card.json").stat().st_mtime_ns == made
    answers = asked(folder, data)
    writer = asked(folder.member("writer"), data).captions()
    for line in answers.lines:
        assert line.by == "concatenate"
        assert [one.source for one in line.drafts] == ["original", "writer", "composed"]
        assert line.drafts[1].text == writer[line.image]
    with pytest.raises(UsageError, match="holds a finished model"):
        taught(joined, tmp_path / "m", data)


def test_a_system_is_trained_and_asked_by_the_command(tmp_path: Path, radcap: Command) -> None:
    head = 'name = "mine"\ntask = "captions"\n[decoder]\nkind = "frequent"\n'
    members = [
        f'[[member]]\nname = "{one}"\n[member.data]\ncaptions = "{one}"\n' for one in ("original", "any")
    ]
    (tmp_path / "mine.toml").write_text(head + "".join(members))
    planted(16).save(tmp_path / "data")
    done = radcap("train", tmp_path / "mine.toml", "--data", tmp_path / "data", "--out", tmp_path / "m")
    assert done.code == 0, done.err
    assert done.out.startswith(
        f"{tmp_path / 'm'}: mine, 2 captioners in one, pool\nheld-out composed captions: "
    )
    assert "Member 2 of 2: any" in done.err


def test_a_pool_without_a_way_to_choose_takes_what_agrees(tmp_path: Path) -> None:
    """Two members say the same, and one something else."""
    members = by_source("original"), by_source("composed"), by_source("any")
    folder = taught(system(*members), tmp_path / "m", planted())
    counts = Counter(truth(planted().split("train")).values())
    commonest = counts.most_common(1)[0][0]
    answers = asked(folder)
    assert set(answers.captions().values()) == {commonest}
    assert {one.by for one in answers.lines} == {"consensus"}
    assert not folder.reranker.exists()


def test_members_that_saw_all_images_leave_none_to_judge_the_whole(tmp_path: Path) -> None:
    refit = CaptionTrainSettings(epochs=1, refit=True)
    heard = Heard()
    folder = taught(
        system(by_source("original"), by_source("composed", train=refit)),
        tmp_path / "m",
        planted(16),
        heard.talk,
    )
    assert folder.card()["held_out"] is None
    assert folder.card()["members"]["composed"]["held_out"] is not None
    assert heard.has("there are no images left to judge the whole on")
    bare = system(by_source("any"), data=CaptionDataSettings(held="nowhere"))
    assert taught(bare, tmp_path / "b", planted(16)).card()["held_out"] is None


def test_a_published_dual_encoder_chooses_for_members_without_eyes(tmp_path: Path) -> None:
    model = clip_folder(tmp_path / "clip")
    joined = system(
        by_source("original"), by_source("composed"), rerank=RerankSettings("alignment", str(model))
    )
    folder = taught(joined, tmp_path / "m", planted(16))
    assert {one.by for one in asked(folder, planted(16)).lines} == {"alignment"}
    assert folder.system().rerank.model == str(model)
    shutil.rmtree(model)
    with pytest.raises(Exception, match=r"\[rerank\] model names it"):
        open_captioner(folder.path)


def seer(folder: Path) -> Path:
    """A small concept system, as a file."""
    path = folder / "seer.toml"
    path.write_text(
        f'name = "seer"\ntask = "concepts"\n[image]\nsize = {SIZE}\n[backbone]\nname = "{TINY}"\n'
        "[train]\nepochs = 1\nbatch = 16\n"
    )
    return path


def one_concept() -> Dataset:
    rows = [row(str(n), ("train", "valid")[n % 2], captions=BRIGHT, cui=["C0040405"]) for n in range(8)]
    rng = np.random.default_rng(0)
    return dataset_of(rows, {f"{n}.png": png(rng.integers(0, 255, (SIZE, SIZE), np.uint8)) for n in range(8)})


def test_a_detector_of_one_system_is_made_once(tmp_path: Path) -> None:
    data = one_concept()
    leaning = DetectorSettings(system=str(seer(tmp_path)))
    members = [member(name, "nearest", detector=leaning) for name in "ab"]
    heard = Heard()
    folder = taught(system(*members), tmp_path / "m", data, heard.talk)
    assert sum(one.startswith("Detector: seer") for one in heard) == 1
    weights = [folder.member(one).concepts.weights.read_bytes() for one in "ab"]
    assert weights[0] == weights[1]
    assert {one.caption for one in asked(folder, data, "valid").lines} == {BRIGHT}


def test_a_training_whose_numbers_were_lost_says_so(tmp_path: Path) -> None:
    folder = taught(system(by_source("any"), by_source("original")), tmp_path / "m", planted(16))
    assert folder.card()["training"] == {"stopped": "all members are trained"}
    broken = folder.member("any").path / "card.json"
    card = json.loads(broken.read_text())
    card["training"]["stopped"] = "no number"
    broken.write_text(json.dumps(card))
    assert members_told(folder)["training"] == {"stopped": "no number"}


@pytest.mark.parametrize(
    ("members", "tables", "why"),
    [
        (
            [member("a", data=CaptionDataSettings(most=2)), member("b", data=CaptionDataSettings(least=3))],
            {"join": JoinSettings("router")},
            "No training caption has 0 to 2 words, as the member 'a' wants",
        ),
        (
            [member("a", data=CaptionDataSettings(most=6)), member("b", data=CaptionDataSettings(least=60))],
            {"join": JoinSettings("router")},
            "No training caption has 60 to any number of words, as the member 'b' wants",
        ),
        ([member("a" * 300)], {}, "has 300 bytes, and files are named by it"),
        ([member("a/b"), member("A-b")], {}, "The members a/b, A-b would share a folder"),
        ([member("a")], {"rerank": RerankSettings("consensus", metric="clipscore")}, "cannot say how two"),
        ([member("a")], {"rerank": RerankSettings("alignment", "/nowhere")}, "'/nowhere' is missing"),
    ],
)
def test_what_cannot_be_joined_is_refused_before_a_folder_is_begun(
    members: list[CaptionMember], tables: dict[str, Any], why: str, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match=why) as caught:
        taught(system(*members, **tables), tmp_path / "m", planted(16))
    assert isinstance(caught.value, RadcapError)
    assert not (tmp_path / "m").exists()


def test_a_writer_chooses_among_its_own_drafts(tmp_path: Path) -> None:
    """An alignment that is learnt, over the eyes that learnt too; trained again, on both splits."""
    given = {
        "generate": GenerateSettings(method="sample", samples=3, longest=8),
        "rerank": RerankSettings("alignment"),
    }
    train = CaptionTrainSettings(epochs=1, batch=16, lr=1e-2, refit=True)
    seen: list[str] = []
    talk = Talk(progress=lambda name, _: seen.append(name))
    folder = taught(captioner("gru", train=train, **given), tmp_path / "m", planted(16), talk)
    assert "vectors" in seen
    answers = asked(folder, planted(16))
    for line in answers.lines:
        assert line.by == "alignment"
        assert all(-1.001 <= one.score <= 1.001 for one in line.drafts)
        assert all(one.log_probability is not None for one in line.drafts)
        assert [one.score for one in line.drafts] == sorted((one.score for one in line.drafts), reverse=True)
    again = asked(folder, planted(16))
    assert [one.to_json() for one in again.lines] == [one.to_json() for one in answers.lines]
    clip = clip_folder(tmp_path / "clip")
    beside = taught(
        captioner("gru", **{**given, "rerank": RerankSettings("alignment", str(clip))}),
        tmp_path / "b",
        planted(16),
    )
    assert {one.by for one in asked(beside, planted(16)).lines} == {"alignment"}
    assert not beside.reranker.exists()


def test_neighbours_are_ranked_by_how_well_they_go_with_the_image(tmp_path: Path) -> None:
    train = CaptionTrainSettings(refit=True)
    ranked = captioner("nearest", decoder={"neighbours": 4}, rerank=RerankSettings("alignment"), train=train)
    folder = taught(ranked, tmp_path / "m", planted(16))
    opened: Any = open_captioner(folder.path)
    answers = asked(folder, planted(16))
    (sight,) = opened.eyes.look(planted(16).split("test"))
    for row_number, line in enumerate(answers.lines):
        texts = [one.text for one in line.drafts]
        assert Counter(texts) == Counter(one.caption for one in line.neighbours)
        (scores,) = opened.reranker.scores([texts], sight.of([line.image]))
        assert [one.score for one in line.drafts] == pytest.approx(scores, abs=1e-6)
        assert line.caption == texts[int(np.argmax(scores))]
        assert (line.by, line.image) == ("alignment", sight.ids[row_number])
    bare = taught(captioner("nearest", decoder={"neighbours": 4}), tmp_path / "b", planted(16))
    assert {one.by for one in asked(bare, planted(16)).lines} == {"nearest"}


def test_only_the_first_of_several_processes_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "pick_place", lambda *_: Place(torch.device("cpu"), rank=1))
    heard = Heard()
    leaning = DetectorSettings(system=str(seer(tmp_path)))
    members = [member(name, "frequent", detector=leaning) for name in "ab"]
    folder = taught(system(*members), tmp_path / "m", one_concept(), heard.talk)
    assert not heard
    assert not folder.is_whole
    assert not any(folder.member(name).is_whole for name in "ab")


def test_several_captioners_are_not_explained_together(routed: CaptionFolder) -> None:
    with pytest.raises(UsageError, match=r"Several captioners answer .* below members, as 'short' does"):
        check_explainable(open_captioner(routed.path))


def test_images_that_cannot_be_looked_at_teach_nothing() -> None:
    data = dataset_of(
        [row(f"b{n}", captions=BRIGHT) for n in range(9)], {"b8.png": png(np.zeros((8, 8), np.uint8))}
    )
    captioned = Captioned.of(data, CaptionDataSettings())
    eyes = Eyes(CPU, View(ImageSettings(size=SIZE)), make_tiny(BackboneSettings(TINY), size=SIZE).eval())
    seen, vectors = seen_vectors(eyes, captioned, Talk())
    assert [*seen.images.ids] == ["b8"]
    assert vectors.shape == (1, eyes.gist_width)
    with pytest.raises(UsageError, match="No image of sample can be read"):
        seen_vectors(eyes, captioned.only(("b1", "b2")), Talk())
