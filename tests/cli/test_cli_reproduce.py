"""`radcap systems reproduce`: systems trained on one dataset, and the board of them."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from board_samples import pictures
from commands import Command
from system_samples import TINY_SYSTEM

from radcap.cli import reproducing
from radcap.systems.board.results import BoardFolder

torch.set_num_threads(1)  # networks this small only wait for threads

WORDS = 'name = "words"\ntask = "concepts"\n[text]\nwords = "dataset"\n'
GONE = TINY_SYSTEM.replace('"mine"', '"gone"').replace("[backbone]", '[backbone]\nweights = "no/file.pth"')


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    pictures().save(folder / "data")
    for name, text in {"mine": TINY_SYSTEM, "words": WORDS, "gone": GONE}.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.datasets.images.cache.default_workers", lambda: 1)


def test_systems_become_a_board_and_what_is_done_is_not_done_again(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    out = tmp_path / "board"
    names = ("mine", "words", "gone")
    only = [part for name in names for part in ("--only", samples / f"{name}.toml")]
    given = ("systems", "reproduce", *only, "--data", samples / "data", "--out", out, "--scale", "small")
    done = radcap(*given)
    assert done.code == 1, done.err  # one that was named could not be trained
    assert f"{out / 'board.html'}: 2 systems scored, 1 not trained" in done.out
    assert "images/s" in done.out  # the head of the ranking
    assert "no/file.pth" in done.out  # why the third was not trained
    first, *said = done.err.splitlines()  # what is not here is told ahead of all training
    assert first.startswith("Not trained: gone. [backbone] weights is 'no/file.pth'")
    assert "1 of 3: mine" in said
    assert {one.name for one in out.iterdir()} == {
        "board.csv", "board.html", "board.json", "models", "results", "runs",
    }  # fmt: skip
    assert not (out / "models" / "mine").exists()
    with (out / "board.csv").open(encoding="utf-8", newline="") as file:
        assert {one["system"] for one in csv.DictReader(file)} == {"mine", "words"}
    again = radcap(*given, "--json")
    assert again.code == 1
    assert "1 of 3" not in again.err
    assert "Not trained: gone" in again.err  # it is looked at anew
    told = json.loads(again.out)
    assert told == json.loads((out / "board.json").read_text("utf-8"))
    assert {one["name"] for one in told["rows"]} == {"mine", "words"}
    assert [one["name"] for one in told["not_trained"]] == ["gone"]
    assert told["rows"][0]["result"]["scale"] == "small"


def test_a_board_is_gone_on_with_at_its_scale_and_a_file_is_added_to_the_catalogue(
    samples: Path, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = [SimpleNamespace(name=str(samples / f"{name}.toml")) for name in ("words", "gone")]
    monkeypatch.setattr("radcap.systems.systems_of", lambda task: catalogue)
    out = tmp_path / "board"
    given = ("systems", "reproduce", "--data", samples / "data", "--out", out)
    done = radcap(*given, "--scale", "large")
    assert f"{out / 'board.html'}: 1 system scored, 1 not trained" in done.out
    done = radcap(*given, "--add", samples / "mine.toml", "--add", samples / "mine.toml")
    assert done.code == 0, done.err
    assert f"{out} holds scores of the scale large, so that is taken. --scale takes another." in done.err
    assert f"{out / 'board.html'}: 2 systems scored, 1 not trained" in done.out
    assert "3 of 3: mine" in done.err
    assert "words" not in done.err  # it is there already
    told = json.loads((out / "board.json").read_text("utf-8"))
    assert {one["name"]: one["result"]["scale"] for one in told["rows"]} == {
        "words": "large",
        "mine": "large",
    }
    done = radcap(*given, "--scale", "small")
    assert "holds scores" not in done.err
    done = radcap(*given)  # words and mine differ in scale now: that of the device is taken
    assert "holds scores" not in done.err
    assert "1 of 2: words" not in done.err


def test_no_time_at_all_is_told_and_nothing_is_written(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    only = ("--only", samples / "words.toml", "--data", samples / "data", "--out", tmp_path / "board")
    done = radcap("systems", "reproduce", *only, "--minutes", "0")
    assert (done.code, done.out) == (1, "")
    assert "No system has a score yet." in done.err
    assert "Some systems are left: give the same command again, and it goes on." in done.err
    assert not (tmp_path / "board").exists()


def test_a_board_of_an_earlier_file_scale_or_dataset_is_not_shown(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    file, out = tmp_path / "words.toml", tmp_path / "board"
    file.write_text(WORDS, encoding="utf-8")
    given = ("systems", "reproduce", "--only", file, "--only", samples / "mine.toml", "--out", out)
    data = ("--data", samples / "data")
    assert radcap(*given, *data, "--scale", "small").code == 0
    file.write_text(WORDS + 'reader = "classifier"\n', encoding="utf-8")
    done = radcap(*given, *data, "--scale", "small", "--minutes", "0")
    assert done.code == 1
    assert "board.html: 1 system scored, 1 not trained" in done.out
    assert "Not trained yet: its result in the folder is of other settings" in done.out
    assert "Some systems are left" in done.err
    larger = radcap(*given, *data, "--scale", "large", "--minutes", "0", "--json")
    assert [one["name"] for one in json.loads(larger.out)["not_trained"]] == ["words", "mine"]
    assert "No system has a score yet." in larger.err


def test_a_board_without_a_score_is_told_to_programs_too(
    samples: Path, tmp_path: Path, radcap: Command
) -> None:
    only = ("--only", samples / "gone.toml", "--data", samples / "data", "--out", tmp_path / "board")
    done = radcap("systems", "reproduce", *only, "--json")
    assert done.code == 1
    told = json.loads(done.out)
    assert (told["data"], told["rows"]) == ("synthetic", [])
    assert "no/file.pth" in told["not_trained"][0]["why_not"]


def test_all_mistakes_of_a_file_are_told(tmp_path: Path, radcap: Command) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('name = "wrong"\ntask = "concepts"\nbatch = 3\n[head]\npool = "gen"\n', encoding="utf-8")
    done = radcap("systems", "reproduce", "--only", file, "--out", tmp_path / "board")
    assert done.code == 1
    assert [line.split(": ")[1][:6] for line in done.out.splitlines()] == ["SYS201", "SYS204"]


def test_models_are_kept_where_that_is_asked_for(samples: Path, tmp_path: Path, radcap: Command) -> None:
    only = ("--only", samples / "words.toml", "--data", samples / "data", "--out", tmp_path / "board")
    done = radcap("systems", "reproduce", *only, "--keep-models", "--device", "cpu")
    assert done.code == 0, done.err
    assert ": 1 system scored, 0 not trained" in done.out
    assert (tmp_path / "board" / "models" / "words" / "card.json").is_file()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--task", "explain"), "no board of the task 'explain'. Write --task concepts or captions."),
        (("--only", "radcap/quick-concepts", "--scale", "tiny"), "There is no scale 'tiny'."),
        (("--only", "radcap/quik-concepts"), "Nearest is 'radcap/quick-concepts'."),
        (("--only", "radcap/template-captions"), "A concept system is wanted here."),
        (("--minutes", "-1"), "--minutes"),
        (("--minutes", "nan"), "--minutes is no number."),
        (("--only", "radcap/quick-concepts", "--device", "foo"), "device is 'foo'"),
    ],
    ids=["task", "scale", "name", "kind", "minutes", "nan", "device"],
)
def test_wrong_usage(options: tuple[str, ...], why: str, tmp_path: Path, radcap: Command) -> None:
    done = radcap("systems", "reproduce", *options, "--out", tmp_path / "board")
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert not (tmp_path / "board").exists()


def test_all_systems_of_the_catalogue_are_wanted_where_none_is_named(tmp_path: Path) -> None:
    asked = reproducing.Asked(
        tmp_path, "concepts", "radiology-open", None, (), (), None, 1, "cpu", keep=False, json=False
    )
    wanted = reproducing._wanted(asked)
    assert len(wanted) > 50
    assert all(one.task == "concepts" for one in wanted.values())
    assert reproducing._usual("cpu", BoardFolder(tmp_path)) == "small"


def test_without_torch_the_install_line_is_told(
    tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "radcap.systems.board.running", None)
    done = radcap("systems", "reproduce", "--only", "radcap/quick-concepts", "--out", tmp_path / "board")
    assert done.code == 3
    assert "pip install 'radcap[train]'" in done.err
