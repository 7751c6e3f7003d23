"""radcap predict with captioners, and what radcap train tells of them."""

from __future__ import annotations

import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from bare_machine import bare, make_bare
from captioning_samples_models import KINDS, WORDS, drawn, real
from endpoint_samples import Reply as Sent
from endpoint_samples import chat, serving
from PIL import Image

from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.models import CaptionAnswers, CaptionFolder
from radcap.cli import modelling
from radcap.core import InputError, Issue, Level, Task, UsageError
from radcap.core.endpoints import KEY, OPENAI_KEY
from radcap.datasets import load_dataset
from radcap.formats import Expected, Reader, read_run, validate
from radcap.vision.weight_files import write_weight_file

if TYPE_CHECKING:
    from commands import Command

EDITIONS = [
    *(("frequent", one) for one in ("2017", "2018", "2021", "2022", "2023", "2024", "2025", "rocov2")),
    *((kind, one) for kind in ("frequent", "writer") for one in ("2026", "radcap")),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images of which three cannot be read, all of them in the test split."""
    folder = tmp_path_factory.mktemp("data")
    drawn().save(folder)
    return folder


@pytest.mark.parametrize("name", ["run.csv", "run.zip"])
@pytest.mark.parametrize(("kind", "edition"), EDITIONS)
def test_a_run_is_written_that_the_platform_would_take(
    kind: str,
    edition: str,
    name: str,
    captioners: dict[str, CaptionFolder],
    data: Path,
    tmp_path: Path,
    radcap: Command,
) -> None:
    out = tmp_path / name
    given = ("--split", "test", "--out", out, "--edition", edition, "--device", "cpu")
    done = radcap("predict", captioners[kind].path, data, *given)
    assert done.code == 0, done.err
    test = load_dataset(data, split="test")
    assert f"{out}: {len(test):,} images, " in done.out
    assert " words an image\n" in done.out
    (tmp_path / "ids.csv").write_text("ID\n" + "".join(f"{one}\n" for one in test.ids))
    assert validate(out, "captions", ids=tmp_path / "ids.csv", edition=edition).ok
    checked = Reader(out, Task.CAPTIONS, edition, Expected.of(test.ids)).check()
    assert {one.code for one in checked.issues} <= {"RUN103"}  # a plain file, where a zip is wanted
    run, _ = read_run(out, "captions", edition=edition)
    assert list(run.cells) == test.ids
    for caption in run.cells.values():
        assert caption is not None
        assert 1 <= len(caption.split()) <= WORDS
    if name == "run.zip":
        assert len(zipfile.ZipFile(out).namelist()) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_writes_a_run_that_validates(
    kind: str, captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    out = tmp_path / "run.zip"
    given = ("--split", "valid", "--out", out, "--log", tmp_path / "log.jsonl", "--device", "cpu")
    assert radcap("predict", captioners[kind].path, data, *given).code == 0
    ids = load_dataset(data, split="valid").ids
    (tmp_path / "ids.csv").write_text("ID\n" + "".join(f"{one}\n" for one in ids))
    done = radcap("validate", out, "--task", "captions", "--ids", tmp_path / "ids.csv", "--strict")
    assert done.code == 0, done.out
    lines = [json.loads(one) for one in (tmp_path / "log.jsonl").read_text("utf-8").splitlines()]
    assert [one["image"] for one in lines] == ids
    run, _ = read_run(out, "captions")
    assert [one["caption"] for one in lines] == list(run.cells.values())


def test_images_that_cannot_be_read_say_nothing_and_are_named(
    captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    given = ("--split", "test", "--out", tmp_path / "run.csv", "--log", tmp_path / "log.jsonl", "--json")
    done = radcap("predict", captioners["writer"].path, data, *given)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    test = load_dataset(data, split="test")
    assert set(told) == {
        "model", "run", "rows", "words_per_image", "refused", "not_radiology", "seconds", "ok", "issues",
    }  # fmt: skip
    assert (told["rows"], told["ok"], told["not_radiology"]) == (len(test), True, [])
    assert told["words_per_image"] > 0
    assert len(told["refused"]) == 3
    assert "3 images cannot be read, each with a row that says nothing of it: " in done.err
    assert all(one in done.err for one in told["refused"])
    run, _ = read_run(tmp_path / "run.csv", "captions")
    assert {run.cells[one] for one in told["refused"]} == {"Radiology image."}
    lines = [json.loads(one) for one in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [one["image"] for one in lines] == [one for one in test.ids if one not in told["refused"]]


@pytest.mark.loopback
def test_captions_that_could_not_be_refined_are_counted_and_stay(
    captioners: dict[str, CaptionFolder],
    data: Path,
    tmp_path: Path,
    radcap: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (KEY, OPENAI_KEY, "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    folder = CaptionFolder(Path(shutil.copytree(captioners["nearest"].path, tmp_path / "model")))
    replies = [Sent(500, b"out of order")] * 4 + [chat("Rewritten.")]
    with serving(*replies) as (url, _):
        settings = RefineSettings(kind="rewrite", model="writer", endpoint=url, retries=0, parallel=1)
        folder.write_system(replace(folder.system(), refine=settings))
        folder.write_card(folder.card())
        out, log = tmp_path / "run.csv", tmp_path / "log.jsonl"
        given = ("--split", "valid", "--out", out, "--log", log, "--device", "cpu", "--json")
        done = radcap("predict", folder.path, data, *given)
    assert done.code == 0, done.err
    told = json.loads(done.out)["unrefined"]
    lines = [json.loads(one) for one in log.read_text("utf-8").splitlines()]
    assert {one["image"] for one in lines if "failed" in one["refined"]} == set(told)
    assert len(told) >= 4
    assert all("answers 500: out of order" in why for why in told.values())
    assert f"{len(told)} captions could not be refined and stayed as written:\n  " in done.err
    assert done.err.count("answers 500: out of order") == 3
    run, _ = read_run(out, "captions")
    assert all((run.cells[one["image"]] == "Rewritten.") == (one["image"] not in told) for one in lines)
    assert all(run.cells.values())


def test_images_that_are_no_radiology_images_are_named(
    captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    model = Path(shutil.copytree(captioners["template"].path, tmp_path / "gated"))
    gate = {"weight": torch.zeros(1280), "bias": torch.tensor([-5.0])}
    write_weight_file(gate, model / "concepts" / "gate.safetensors")
    done = radcap("predict", model, data, "--split", "train", "--out", tmp_path / "run.csv")
    assert done.code == 0
    assert "Not like a radiology image (" in done.err
    assert ", ..." in done.err


def test_a_bare_folder_of_images_is_captioned(
    captioners: dict[str, CaptionFolder], tmp_path: Path, radcap: Command
) -> None:
    (tmp_path / "images").mkdir()
    for number in range(2):
        Image.new("RGB", (40, 30), (60 * number, 0, 90)).save(tmp_path / "images" / f"scan_{number}.png")
    for count in (2, 1):
        out = tmp_path / f"{count}.csv"
        done = radcap("predict", captioners["writer"].path, tmp_path / "images", "--out", out)
        assert done.code == 0, done.out + done.err
        run, _ = read_run(out, "captions", edition="2026")
        assert list(run.cells) == [f"scan_{number}" for number in range(count)]
        (tmp_path / "images" / f"scan_{count - 1}.png").unlink()
    done = radcap("predict", captioners["writer"].path, tmp_path / "images", "--out", tmp_path / "0.csv")
    assert done.code in (1, 2)
    assert not (tmp_path / "0.csv").exists()


def test_an_empty_dataset_is_refused(
    captioners: dict[str, CaptionFolder], tmp_path: Path, radcap: Command
) -> None:
    real()[:0].save(tmp_path / "empty")
    done = radcap("predict", captioners["writer"].path, tmp_path / "empty", "--out", tmp_path / "run.csv")
    assert done.code == 2
    assert "has no image to predict for" in done.err
    assert not (tmp_path / "run.csv").exists()


def test_what_the_other_task_has_is_refused_before_any_work(
    captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    out, beside = ("--out", tmp_path / "run.csv"), tmp_path / "beside"
    done = radcap("predict", captioners["frequent"].path, data, *out, "--scores", beside)
    assert done.code == 2
    assert "--scores writes probabilities of concepts, and the model writes captions. Use --log." in done.err
    concepts = captioners["writer"].concepts.path
    done = radcap("predict", concepts, data, *out, "--log", beside)
    assert done.code == 2
    assert "--log writes how captions came about, and the model names concepts. Use --scores." in done.err
    assert radcap("predict", captioners["frequent"].path, data, *out, "--edition", "1999").code == 2
    assert list(tmp_path.iterdir()) == []


def test_the_log_takes_the_place_of_nothing_that_is_read_or_written(
    captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    model, out = captioners["frequent"].path, tmp_path / "run.csv"
    done = radcap("predict", model, data, "--out", out, "--log", tmp_path / "." / "run.csv")
    assert done.code == 2
    assert "is to be the run, and something else too. Choose another name for one." in done.err
    inside = next(one for one in data.rglob("*") if one.is_file())
    done = radcap("predict", model, inside.parent, "--out", out, "--log", inside)
    assert done.code == 2
    assert "It is not replaced" in done.err
    assert not out.exists()
    done = radcap("predict", model, data, "--out", out, "--log", inside / "log.jsonl")
    assert done.code == 2
    assert "cannot be used" in done.err


def test_a_run_that_is_no_valid_one_is_exit_code_1(
    captioners: dict[str, CaptionFolder],
    data: Path,
    tmp_path: Path,
    radcap: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real_run: Any = CaptionAnswers.run
    monkeypatch.setattr(CaptionAnswers, "run", lambda self, order, name="": real_run(self, order[1:], name))
    done = radcap("predict", captioners["frequent"].path, data, "--out", tmp_path / "run.csv")
    assert done.code == 1
    assert "RUN" in done.out


def test_a_bare_machine_captions(
    captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command
) -> None:
    """The same captions from `python -m radcap` where neither typer nor rich is."""
    make_bare(tmp_path)
    model, log = captioners["writer"].path, tmp_path / "log.jsonl"
    asked = ("--split", "valid", "--device", "cpu", "--json", "--log", log, "--out", tmp_path / "bare.csv")
    done = bare(tmp_path, "predict", model, data, *asked)
    assert done.code == 0, done.err
    assert json.loads(done.out)["ok"] is True
    given = ("--split", "valid", "--out", tmp_path / "full.csv", "--device", "cpu")
    assert radcap("predict", model, data, *given).code == 0
    assert (tmp_path / "bare.csv").read_bytes() == (tmp_path / "full.csv").read_bytes()
    assert log.exists()


SYSTEM = """
name = "mine"
task = "captions"
[data]
captions = "composed"
[decoder]
kind = "frequent"
"""


def test_training_a_captioner_tells_its_scores_by_source(tmp_path: Path, data: Path, radcap: Command) -> None:
    (tmp_path / "mine.toml").write_text(SYSTEM, encoding="utf-8")
    given = ("train", tmp_path / "mine.toml", "--data", data, "--out")
    done = radcap(*given, tmp_path / "model")
    assert done.code == 0, done.err
    first, second, last = done.out.splitlines()
    assert first == f"{tmp_path / 'model'}: mine, a captioner of the kind frequent"
    assert second.startswith("held-out composed captions: rouge1 0.")
    assert second.endswith(f"({len(load_dataset(data, split='valid')):,} images)")
    assert last == f"Next: radcap predict {tmp_path / 'model'} DATA --split test --out run.csv"
    told = json.loads(radcap(*given, tmp_path / "other", "--json").out)
    assert (told["task"], told["decoder"], told["name"]) == ("captions", "frequent", "mine")


def test_training_without_held_out_images_has_no_score(tmp_path: Path, data: Path, radcap: Command) -> None:
    (tmp_path / "mine.toml").write_text(SYSTEM, encoding="utf-8")
    load_dataset(data, split="train").save(tmp_path / "train")
    given = ("--data", tmp_path / "train", "--out", tmp_path / "model", "--device", "cpu")
    done = radcap("train", tmp_path / "mine.toml", *given)
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 2


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ("decoder.kind=frequnt", 1, "Nearest is 'frequent'"),
        ("generate.supported=true", 1, "supported asks a detector, and there is none"),
        ("decoder.kind", 2, "has no key and value"),
        ("=frequent", 2, "has no key and value"),
    ],
)
def test_a_setting_that_is_none_is_refused(
    change: str, code: int, told: str, tmp_path: Path, data: Path, radcap: Command
) -> None:
    (tmp_path / "mine.toml").write_text(SYSTEM, encoding="utf-8")
    given = ("--data", data, "--out", tmp_path / "model", "--set", change)
    done = radcap("train", tmp_path / "mine.toml", *given)
    assert done.code == code
    assert told in done.out + done.err
    assert not (tmp_path / "model").exists()
    if code == 1:
        found = json.loads(radcap("train", tmp_path / "mine.toml", *given, "--json").out)
        assert found["issues"][0]["code"].startswith("SYS")


class Half:
    """The folder of another process, and of one whose loss became no number."""

    def __init__(self, *, is_whole: bool) -> None:
        self.is_whole = is_whole

    def card(self) -> dict[str, Any]:
        held = {"composed": {"n": 2, "rouge1": {"value": 0.5}}}
        about = {"name": "x", "task": "captions", "decoder": "lstm", "held_out": held}
        return {**about, "training": {"stopped": "no number"}}


@pytest.mark.parametrize(("is_whole", "code"), [(True, 1), (False, 0)])
def test_how_training_ended_is_the_exit_code(
    is_whole: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(modelling, "_trained", lambda *_: Half(is_whole=is_whole))
    assert modelling.run_train("s", "d", Path("m")) == code
    said = capsys.readouterr().out
    assert ("held-out composed captions: rouge1 0.5000 (2 images)" in said) is is_whole


def test_findings_of_a_refused_system_are_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = Issue("SYS201", Level.ERROR, 3, 1, "A key.", "")

    def fail(*_: object) -> None:
        raise InputError("Bad.", path="a.toml", issues=(issue,))

    monkeypatch.setattr(modelling, "_trained", fail)
    for as_json in (True, False):
        with pytest.raises(InputError):
            modelling.run_train("s", "d", Path("m"), json=as_json)
    said = capsys.readouterr().out
    assert '"SYS201"' in said
    assert "a.toml:3:1: SYS201 A key." in said
    with pytest.raises(UsageError):
        modelling._pair("x")
