"""Where a command may write, and what is said where it cannot."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from commands import Command

from radcap.cli import main as cli_main
from radcap.cli import modelling, plain
from radcap.cli.outputs import check_output, check_page, refusal
from radcap.core import UsageError

FULL = "Make room, and give the same command again."
NO_ACCESS = "Check its path and rights."


def test_a_folder_is_no_output(tmp_path: Path) -> None:
    told = "is a folder, and a file is to be written"
    for check, name in ((check_output, "o"), (check_page, "o.html")):
        folder = tmp_path / name
        check(folder, [])
        folder.mkdir()
        with pytest.raises(UsageError, match=told):
            check(folder, [])
    check_output(None, [tmp_path])


def test_a_file_of_an_input_is_no_output(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    check_output(run, [run, None])
    run.write_text("x", encoding="utf-8")
    for read in (run, tmp_path):
        with pytest.raises(UsageError, match="It is not replaced"):
            check_output(run, [None, read])
    check_output(run, [tmp_path / "other.csv"])


@pytest.mark.parametrize("option", ["--out", "--scores"])
def test_a_folder_is_refused_before_an_image_is_looked_at(
    option: str, tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelling, "_images", lambda *_: pytest.fail("images were opened"))
    monkeypatch.chdir(tmp_path)
    Path("o").mkdir()
    outputs = {"--out": "run.csv", option: "o"}
    given = [text for pair in outputs.items() for text in pair]
    done = radcap("predict", "zoo:concepts", "radiology-open", *given)
    assert (done.code, done.out) == (2, "")
    assert "o is a folder, and a file is to be written. Name a file in it, or another." in done.err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "run.csv"),
            f"run.csv cannot be used: No space left on device. {FULL}",
        ),
        (
            OSError(errno.EDQUOT, "Disk quota exceeded"),
            f"The output cannot be used: Disk quota exceeded. {FULL}",
        ),
        (
            OSError("m/model.safetensors cannot be written: No space left on device (os error 28)"),
            f"m/model.safetensors cannot be written: No space left on device (os error 28). {FULL}",
        ),
        (
            OSError("m/model.safetensors cannot be written: Permission denied (os error 13)"),
            NO_ACCESS,
        ),
        (PermissionError(errno.EACCES, "Permission denied", "run.csv"), f"Permission denied. {NO_ACCESS}"),
        (OSError("it will not"), f"The output cannot be used: it will not. {NO_ACCESS}"),
    ],
    ids=["room", "quota", "room of safetensors", "rights of safetensors", "rights", "no number"],
)
def test_a_full_disk_needs_room_and_not_rights(error: OSError, told: str) -> None:
    assert refusal(error).endswith(told)


def test_both_commands_say_it(
    tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(plain, "run_train", full)
    given = ["train", "base.toml", "--data", "part", "--out", str(tmp_path / "m")]
    with pytest.raises(SystemExit) as ended:
        plain.main(given)
    assert ended.value.code == 2
    assert FULL in capsys.readouterr().err
    monkeypatch.setattr(cli_main, "app", full)
    done = radcap(*given)
    assert done.code == 2
    assert FULL in done.err
