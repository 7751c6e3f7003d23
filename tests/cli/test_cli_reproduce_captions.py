"""`radcap systems reproduce --task captions`: from system files and a dataset to a board of captions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from caption_board_samples import captioned, writer
from commands import Command
from safe_pages import safe

from radcap.cli import reproducing
from radcap.metrics import CaptionMetric, caption_metrics
from radcap.systems import systems_of, written

torch.set_num_threads(1)  # networks this small only wait for threads

TASK = ("systems", "reproduce", "--task", "captions", "--scale", "small")


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.datasets.images.cache.default_workers", lambda: 1)
    absent = CaptionMetric("meteor", "METEOR", needs="Java")  # which takes seconds to begin
    monkeypatch.setitem(caption_metrics.CAPTION_METRICS, "meteor", absent)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    captioned().save(folder / "data")
    systems = [writer("frequent"), writer("nearest", edition="2025"), writer("lm", decoder={"model": "gpt2"})]
    for one in systems:
        (folder / f"{one.name}.toml").write_text(written(one), encoding="utf-8")
    return folder


def test_systems_become_a_board_and_what_is_done_is_not_done_again(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    out = tmp_path / "board"
    only = [part for name in ("frequent", "nearest", "lm") for part in ("--only", samples / f"{name}.toml")]
    given = (*TASK, *only, "--data", samples / "data", "--out", out)
    done = radcap(*given)
    assert done.code == 1, done.err  # one that was named could not be trained
    assert f"{out / 'board.html'}: 2 systems scored, 1 not trained" in done.out
    assert "ROUGE-1" in done.out
    assert "Run: radcap models get captions-lm." in done.out
    assert "1 of 3: frequent" in done.err
    page = (out / "board.html").read_text("utf-8")
    pictures = [one["src"] or "" for one in safe(page).named("img")]
    assert pictures
    assert all(one.startswith("data:image/webp;base64,") for one in pictures)
    assert "true, composed" in page
    with (out / "board.csv").open(encoding="utf-8", newline="") as file:
        rows = [(one["system"], one["captions"]) for one in csv.DictReader(file)]
    assert sorted(rows) == sorted(
        (name, source) for name in ("frequent", "nearest") for source in ("composed", "original")
    )
    again = radcap(*given, "--json")
    assert "1 of 3" not in again.err
    told = json.loads(again.out)
    assert told == json.loads((out / "board.json").read_text("utf-8"))
    assert (told["task"], told["source"]) == ("captions", "composed")
    assert [one["name"] for one in told["not_trained"]] == ["lm"]


def test_a_file_is_added_to_the_catalogue(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = [SimpleNamespace(name=str(samples / "frequent.toml"))]
    monkeypatch.setattr("radcap.systems.systems_of", lambda task: catalogue)
    out = tmp_path / "board"
    done = radcap(*TASK, "--data", samples / "data", "--out", out, "--add", samples / "nearest.toml")
    assert done.code == 0, done.err
    assert f"{out / 'board.html'}: 2 systems scored, 0 not trained" in done.out


def test_a_concept_system_is_no_caption_system(tmp_path: Path, radcap: Command) -> None:
    done = radcap(*TASK, "--only", "radcap/quick-concepts", "--out", tmp_path / "board")
    assert (done.code, done.out) == (2, "")
    assert "is a system of the task concepts. A caption system is wanted here." in done.err


def test_all_caption_systems_are_wanted_where_none_is_named(tmp_path: Path) -> None:
    asked = reproducing.Asked(
        tmp_path, "captions", "radiology-open", None, (), (), None, 1, "cpu", keep=False, json=False
    )
    wanted = reproducing._wanted(asked)
    assert list(wanted) == [one.name for one in systems_of("captions")]
    assert all(one.task == "captions" for one in wanted.values())
