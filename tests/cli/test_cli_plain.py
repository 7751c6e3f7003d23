"""`python -m radcap train|predict` on a machine that has torch and little else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bare_machine import ABSENT, bare, make_bare
from model_samples import write_samples

from radcap.cli import modelling, plain
from radcap.core import InputError, Missing, UsageError
from radcap.datasets import load_dataset


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_samples(tmp_path_factory.mktemp("samples"))
    make_bare(folder)
    return folder


def test_a_bare_machine_trains_and_predicts(samples: Path, tmp_path: Path) -> None:
    trained = bare(
        *(samples, "train", samples / "mine.toml", "--data", samples / "data", "--out", tmp_path / "m"),
        *("--set", "train.epochs=2", "--json"),
    )
    assert trained.code == 0, trained.err
    assert json.loads(trained.out)["training"]["epochs"] == 2
    given = ("--split", "valid", "--out", tmp_path / "run.csv", "--scores", tmp_path / "s.parquet")
    done = bare(samples, "predict", tmp_path / "m", samples / "data", *given)
    assert done.code == 0, done.err
    assert (tmp_path / "run.csv").read_text().count("\n") >= len(
        load_dataset(samples / "data", split="valid")
    )
    assert (tmp_path / "s.parquet").exists()


def test_a_bare_machine_says_what_the_other_commands_need(samples: Path) -> None:
    done = bare(samples, "editions")
    assert done.code == 2
    assert "invalid choice" in done.err
    assert "pip install radcap" in bare(samples, "--help").out


def test_predicting_with_our_own_backbone_imports_no_network_library(samples: Path, tmp_path: Path) -> None:
    code = (
        "import sys, radcap\n"
        f"answers = radcap.predict({str(samples / 'model')!r}, {str(samples / 'data')!r}, split='valid')\n"
        "assert len(answers.ids)\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "torch" in loaded
    assert not loaded & set(ABSENT)


def called(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        plain.main(list(arguments))
    code = caught.value.code
    assert isinstance(code, int)
    return code


def test_the_options_are_those_of_the_full_command(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    def heard(*given: object, **more: object) -> int:
        asked.append((given, more))
        return len(asked) - 1

    monkeypatch.setattr(plain, "run_train", heard)
    monkeypatch.setattr(plain, "run_predict", heard)
    assert (
        called("train", "s", "--data", "d", "--out", "m", "--set", "a=1", "--set", "b=2", "--device", "cpu")
        == 0
    )
    assert called("predict", "m", "d", "--out", "r.csv", "--edition", "2025", "--json") == 1
    assert asked[0] == (
        ("s", "d", Path("m")),
        {"changes": ["a=1", "b=2"], "tensorboard": None, "device": "cpu", "json": False},
    )
    assert asked[1] == (
        ("m", "d", Path("r.csv")),
        {"split": None, "edition": "2025", "scores": None, "log": None, "device": None, "json": True},
    )


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (InputError("A file is bad."), 1, "radcap: A file is bad."),
        (UsageError("No such thing."), 2, "radcap: No such thing."),
        (Missing("X", "It is needed.", "Get it."), 3, "radcap: X is missing."),
        (
            OSError(28, "No space left on device", "m/card.json"),
            2,
            "m/card.json cannot be used: No space left",
        ),
        (OSError("odd"), 2, "The output cannot be used: odd"),
    ],
)
def test_errors_are_sentences_and_exit_codes(
    error: Exception,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise error

    monkeypatch.setattr(plain, "run_train", fail)
    assert called("train", "s", "--data", "d", "--out", "m") == code
    assert told in capsys.readouterr().err


def test_without_rich_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with modelling._bar(3) as show:
        assert show is None


def test_with_rich_there_is_one_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with modelling._bar(3) as show:
        assert show is not None
        show("images", 1)
