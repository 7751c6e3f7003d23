"""Exit codes 0, 1, 2, 3; data on stdout, talk on stderr; never a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from radcap.cli.main import exit_code
from radcap.core import InputError, Missing, RadcapError, ToolFailed, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

SCORE = ("score", "concepts", "run.csv", "truth")
VALIDATE = ("validate", "run.csv", "--task", "concepts", "--truth", "truth")
CAPTIONS = ("score", "captions", "better.csv", "truth")
COMPARE = ("compare", "a.csv", "b.csv", "--truth", "truth", "--task", "concepts")

WRONG_USAGE = {
    "unknown command": ("paint",),
    "unknown option": (*SCORE, "--colour"),
    "argument left out": ("score", "concepts", "run.csv"),
    "unknown edition, score": (*SCORE, "--edition", "2016"),
    "unknown edition, validate": (*VALIDATE, "--edition", "2016"),
    "unknown edition, editions": ("editions", "2016"),
    "unknown profile": (*SCORE, "--profile", "offical"),
    "unknown set": (*SCORE, "--cuis", "manual16"),
    "switch of the other profile": (*SCORE, "--empty-truth", "one"),
    "per-image file of unknown kind": (*SCORE, "--per-image", "scores.txt"),
    "per-image file below a file": (*SCORE, "--per-image", "run.csv/scores.csv"),
    "subtask that was not held": (
        "validate", "run.csv", "--task", "captions", "--truth", "truth", "--edition", "2019",
    ),
    "unknown task": ("validate", "run.csv", "--task", "pictures", "--truth", "truth"),
    "task left out": ("validate", "run.csv", "--truth", "truth"),
    "neither ids nor truth": ("validate", "run.csv", "--task", "concepts"),
    "both ids and truth": (*VALIDATE, "--ids", "run.csv"),
    "no board of that edition": ("editions", "2024", "--board", "concepts"),
    "demo below a file": ("demo", "--out", "run.csv/demo"),
    "unknown edition, captions": (*CAPTIONS, "--edition", "2016"),
    "unknown edition, compare": (*COMPARE, "--edition", "2016"),
    "captions that were not scored": (*CAPTIONS, "--edition", "2020"),
    "unknown metric": (*CAPTIONS, "--metrics", "rouge"),
    "unknown BLEU rule": (*CAPTIONS, "--bleu-rule", "smooth"),
    "per-image captions of unknown kind": (*CAPTIONS, "--per-image", "scores.txt"),
    "per-image scores over the run": (*SCORE, "--per-image", "run.csv"),
    "metric to rank by that is unknown": (*COMPARE, "--rank-by", "rouge1"),
    "page of another kind": (*COMPARE, "--report", "page.pdf"),
    "no subcommand of that name": ("metrics", "list"),
}  # fmt: skip

FINDINGS = {
    "no run": ("score", "concepts", "absent.csv", "truth"),
    "no truth": ("score", "concepts", "run.csv", "absent"),
    "no manual labels at the path given": (*SCORE, "--manual", "absent.csv"),
    "a run of another edition": (*SCORE, "--edition", "2022"),
    "packing, when asked": (*SCORE, "--strict"),
    "no run to check": ("validate", "absent.csv", "--task", "concepts", "--truth", "truth"),
    "a set that no label carries": (*SCORE, "--cuis", "manual15", "--manual", "nothing.csv"),
    "a binary file": ("score", "concepts", "binary.csv", "truth"),
    "a binary file for captions": ("score", "captions", "binary.csv", "truth"),
    "captions of another edition": (*CAPTIONS, "--edition", "2022"),
    "concepts for captions": ("score", "captions", "run.csv", "truth"),
    "one faulty run of two": (*COMPARE[:2], "binary.csv", *COMPARE[3:]),
    "no truth to compare on": ("compare", "a.csv", "--truth", "absent", "--task", "concepts"),
}

FINE = {
    "score": SCORE,
    "score as JSON": (*SCORE, "--json"),
    "score, documented": (*SCORE, "--profile", "documented", "--empty-truth", "one"),
    "score, truth file": ("score", "concepts", "run.csv", "truth/concepts.csv"),
    "score, tolerant edition": (*SCORE, "--edition", "radcap"),
    "validate": VALIDATE,
    "validate against ids": ("validate", "run.csv", "--task", "concepts", "--ids", "truth/concepts.csv"),
    "validate as JSON": (*VALIDATE, "--json"),
    "validate for GitHub": (*VALIDATE, "--format", "github"),
    "editions": ("editions",),
    "editions as JSON": ("editions", "--json"),
    "one edition": ("editions", "rocov2"),
    "a board": ("editions", "2017", "--board", "captions"),
    "demo": ("demo", "--no-models", "--out", "demo-out"),
    "captions": CAPTIONS,
    "captions as JSON": (*CAPTIONS, "--json"),
    "captions, tolerant edition": (*CAPTIONS, "--edition", "radcap", "--metrics", "rouge1,bleu,cider"),
    "validate captions": ("validate", "better.csv", "--task", "captions", "--truth", "truth"),
    "compare": COMPARE,
    "compare as JSON": (*COMPARE, "--json"),
    "compare with a page": (*COMPARE, "--report", "page.html"),
    "metrics": ("metrics", "status"),
    "metrics as JSON": ("metrics", "status", "--json"),
}

ABSENT = {
    "a metric that is named": (*CAPTIONS, "--metrics", "rouge1,bertscore"),
    "a figure that is named": (*CAPTIONS, "--metrics", "overall"),
    "a metric to compare by": (
        "compare", "better.csv", "--truth", "truth", "--task", "captions", "--metrics", "rouge1,spice",
    ),
    "no metric left to compare by": (
        "compare", "better.csv", "--truth", "truth", "--task", "captions", "--metrics", "bleurt",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RADCAP_CORENLP", raising=False)


@pytest.fixture
def files(captions: Path) -> Path:
    """Runs of both tasks: run.csv, a.csv and b.csv hold concepts, better.csv and worse.csv captions."""
    (captions / "run.csv").write_bytes((captions / "a.csv").read_bytes())
    return captions


def cases(table: dict[str, tuple[str, ...]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("arguments", table.values(), ids=table.keys())


@cases(FINE)
def test_0_fine(arguments: tuple[str, ...], radcap: Command, files: Path) -> None:
    done = radcap(*arguments)
    assert done.code == 0, done.err


@cases(FINDINGS)
def test_1_findings(arguments: tuple[str, ...], radcap: Command, files: Path) -> None:
    (files / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (files / "nothing.csv").write_text("ID,CUIs\nimg_1,C1\nimg_2,C2\nimg_3,C3\n", encoding="utf-8")
    done = radcap(*arguments)
    assert done.code == 1
    assert done.out or done.err
    assert "Traceback" not in done.err


@cases(WRONG_USAGE)
def test_2_usage(arguments: tuple[str, ...], radcap: Command, files: Path) -> None:
    before = {path: path.is_file() and path.read_bytes() for path in files.rglob("*")}
    done = radcap(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err
    assert {path: path.is_file() and path.read_bytes() for path in files.rglob("*")} == before


@cases(ABSENT)
def test_3_something_that_was_named_is_absent(
    arguments: tuple[str, ...], radcap: Command, files: Path
) -> None:
    done = radcap(*arguments)
    assert done.code == 3
    assert "is missing." in done.out + done.err
    assert "Traceback" not in done.err


WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
sys.argv = ["radcap", "score", "concepts", "run.csv", "truth", "--per-image", sys.argv[1]]
from radcap.cli.main import main
main()
"""


@pytest.mark.parametrize(("name", "code"), [("scores.parquet", 3), ("scores.csv", 0)])
def test_3_environment_with_the_way_to_get_what_is_missing(name: str, code: int, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW, name], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert (folder / name).exists() == (code == 0)
    if code:
        assert "pyarrow is missing." in done.stderr
        assert "pip install" in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("x"), 1),
        (UsageError("x"), 2),
        (RadcapError("x"), 2),
        (Missing("x", "y", "z"), 3),
        (ToolFailed("x"), 3),
    ],
)
def test_every_error_has_its_code(error: RadcapError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize(
    ("name", "nearest"), [("rocov", "rocov2"), ("radcop", "radcap"), ("20025", "2025"), ("ROCOv2", "rocov2")]
)
@pytest.mark.parametrize(
    "before", [SCORE, VALIDATE, CAPTIONS, COMPARE], ids=["score", "validate", "captions", "compare"]
)
def test_an_unknown_edition_names_the_nearest(
    name: str, nearest: str, before: tuple[str, ...], radcap: Command, files: Path
) -> None:
    done = radcap(*before, "--edition", name)
    assert done.code == 2
    assert f"There is no edition '{name}'. Nearest is '{nearest}'. Known: 2017, " in done.err


def test_an_error_is_one_sentence_on_stderr(process: Command, folder: Path) -> None:
    done = process("editions", "2016")
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"radcap: There is no edition '2016'\. [^\n]+\n", done.err)


def test_python_m_radcap_is_the_command(process: Command, folder: Path) -> None:
    done = process(*SCORE)
    assert done.code == 0
    assert "0.777778" in done.out
