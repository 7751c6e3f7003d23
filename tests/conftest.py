"""What all tests share: the command line in this process, and no way out of this machine."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from commands import Command, Done

from radcap.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that connects to anything fails."""

    def refuse(*_: Any) -> NoReturn:
        raise AssertionError("a test tried to use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


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
