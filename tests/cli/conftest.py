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
TRUE_CAPTIONS = {
    "img_1": "Axial CT of the chest shows a 3.5 cm mass, left upper lobe (arrow).",
    "img_2": "MRI of the brain.",
    "img_3": "Plain film of the hand without a fracture.",
}
CAPTIONS = {
    "img_1": "CT of the chest shows a mass, right upper lobe.",
    "img_2": "MRI of the brain.",
    "img_3": "Ultrasound of the liver.",
}
WORSE_CAPTIONS = {**CAPTIONS, "img_1": "A mass.", "img_2": "CT of the brain."}


def lines_of(cells: dict[str, str], column: str = "CUIs") -> str:
    rows = (f'{one},"{cell}"' if "," in cell else f"{one},{cell}" for one, cell in cells.items())
    return "".join(f"{line}\n" for line in [f"ID,{column}", *rows])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with runs and truth/, as the examples of --help expect it."""
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "concepts.csv").write_text(lines_of(TRUTH), encoding="utf-8")
    (tmp_path / "truth" / "concepts_manual.csv").write_text(lines_of(MANUAL), encoding="utf-8")
    for name, cells in {"run": RUN, "a": RUN, "b": {**RUN, "img_1": "C9", "img_2": "C9"}}.items():
        (tmp_path / f"{name}.csv").write_text(lines_of(cells), encoding="utf-8")
    (tmp_path / "names.csv").write_text(f"CUI,name\n{CT},CT\n{CHEST},chest\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def captions(folder: Path) -> Path:
    """The same folder with captions: the truth, run.csv, better.csv (the same run) and worse.csv."""
    (folder / "truth" / "captions.csv").write_text(lines_of(TRUE_CAPTIONS, "Caption"), encoding="utf-8")
    for name, cells in {"run": CAPTIONS, "better": CAPTIONS, "worse": WORSE_CAPTIONS}.items():
        (folder / f"{name}.csv").write_text(lines_of(cells, "Caption"), encoding="utf-8")
    return folder


@pytest.fixture
def no_java(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Java that ends as soon as it starts, so that no test waits for METEOR."""
    java = tmp_path_factory.mktemp("java") / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho no heap >&2\nexit 1\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parent.parent))


@pytest.fixture
def process() -> Command:
    """Starts `python -m radcap`."""

    def call(*arguments: str | Path) -> Done:
        command = [sys.executable, "-m", "radcap", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")
        return Done(done.returncode, done.stdout, done.stderr)

    return call
