"""Where the files of the corpus are put, and the command line in this process."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest
from corpus_small import SMALL_IDS

from radcap.cli.main import main
from radcap.formats import Expected

if TYPE_CHECKING:
    from pathlib import Path


class Place(Protocol):
    """Puts bytes into a fresh file."""

    def __call__(self, content: bytes, name: str = "run.csv") -> Path: ...


class Done(NamedTuple):
    """What a command left: exit code, data, talk."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """`radcap` with these arguments."""

    def __call__(self, *arguments: str | Path) -> Done: ...


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """For the whole session, since property tests share it between their examples."""
    folder = tmp_path_factory.mktemp("hostile")
    numbers = count()

    def put(content: bytes, name: str = "run.csv") -> Path:
        path = folder / str(next(numbers) % 50) / name  # a few folders, used again
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return put


@pytest.fixture(scope="session")
def small_ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ids") / "ids.csv"
    path.write_text("".join(f"{one}\n" for one in ("ID", *SMALL_IDS)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def expected() -> Expected:
    return Expected.of(SMALL_IDS)


@pytest.fixture
def radcap(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Calls the entry point of the command in this process."""

    def call(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["radcap", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        code = caught.value.code
        assert code is None or isinstance(code, int)
        return Done(code or 0, printed.out, printed.err)

    return call
