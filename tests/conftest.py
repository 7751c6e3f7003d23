"""What all tests share: the command line in this process, and no way out of this machine."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest
from commands import Command, Done
from hypothesis import settings

from radcap.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.models import CaptionFolder

# The processes of the tests share the cores: threads of one would wait for those of another, and spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("untimed", deadline=None)  # how long an example takes is the machine's matter
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing goes into the user's cache; test processes share one, so the pictures inside are read once."""
    os.environ["RADCAP_CACHE"] = str(tmp_path_factory.getbasetemp().parent / "radcap-cache")


@pytest.fixture(scope="session")
def captioners(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaptionFolder]:
    """A captioner of each kind; a test that changes one takes a copy."""
    from captioning_samples_models import train_all

    return train_all(tmp_path_factory.mktemp("captioners"))


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that connects to anything fails; one marked `loopback` may talk to this machine."""
    connect, may = socket.socket.connect, request.node.get_closest_marker("loopback") is not None

    def connect_here(one: socket.socket, address: Any) -> None:
        if not (may and address[0] == "127.0.0.1"):
            raise AssertionError("a test tried to use the network")
        connect(one, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


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
