"""The command line as a user has it: in this process, where it is quick, and as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from commands import Command, Done

if TYPE_CHECKING:
    from pathlib import Path

CT, CHEST = "C0040405", "C0817096"
TRUTH = {"img_1": f"{CT};C1", "img_2": "C2", "img_3": f"{CHEST};C3;C4"}
MANUAL = {"img_1": CT, "img_2": "", "img_3": f"{CHEST};C1306645"}
RUN = {"img_1": CT, "img_2": "C2", "img_3": f"{CHEST};C3;C5"}


def lines_of(cells: dict[str, str]) -> str:
    return "".join(f"{line}\n" for line in ["ID,CUIs", *(f"{one},{cell}" for one, cell in cells.items())])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with run.csv and truth/, as the examples of --help expect it."""
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "concepts.csv").write_text(lines_of(TRUTH), encoding="utf-8")
    (tmp_path / "truth" / "concepts_manual.csv").write_text(lines_of(MANUAL), encoding="utf-8")
    (tmp_path / "run.csv").write_text(lines_of(RUN), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def process() -> Command:
    """Starts `python -m radcap`."""

    def call(*arguments: str | Path) -> Done:
        command = [sys.executable, "-m", "radcap", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
        return Done(done.returncode, done.stdout, done.stderr)

    return call
