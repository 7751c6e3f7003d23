"""One builder at a time."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from radcap.datasets.images import cache_lock
from radcap.datasets.images.cache_lock import CacheBusy, locked


def write_lock(path: Path, process: int, machine: str | None = None) -> None:
    holder = {"process": process, "machine": machine or socket.gethostname(), "since": "2026-01-02 03:04 UTC"}
    path.write_text(json.dumps(holder), "utf-8")


def dead_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_the_lock_lasts_as_long_as_the_block(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.lock"
    with locked(path):
        assert json.loads(path.read_text("utf-8"))["process"] == os.getpid()
    assert not path.exists()


def test_the_lock_goes_when_the_block_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with pytest.raises(ValueError, match="broken"), locked(path):
        raise ValueError("broken")
    assert not path.exists()


def test_a_second_builder_is_told_who_is_first_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with locked(path):
        with pytest.raises(CacheBusy) as caught, locked(path):
            pass
        assert f"Process {os.getpid()} on {socket.gethostname()}, since 2" in str(caught.value)
        assert f"If it has ended, delete {path}." in str(caught.value)
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    write_lock(path, dead_process())
    with locked(path):
        assert json.loads(path.read_text("utf-8"))["process"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_another_machine_is_left_to_a_person(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    write_lock(path, dead_process(), "elsewhere")
    with pytest.raises(CacheBusy, match="on elsewhere, since 2026-01-02 03:04 UTC"), locked(path):
        pass
    assert path.exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"process": 1}'])
def test_a_lock_nobody_can_read_is_left_to_a_person(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.lock"
    path.write_text(text, "utf-8")
    with pytest.raises(CacheBusy, match=f"A process is building this cache.*delete {path}"), locked(path):
        pass


def test_two_that_take_over_at_once_do_not_both_get_it(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    write_lock(path, dead_process())
    gate = path.with_suffix(".taking")
    write_lock(gate, os.getpid())
    with pytest.raises(CacheBusy, match=f"delete {gate}"), locked(path):
        pass
    assert gate.exists()


def test_a_lock_that_comes_back_while_it_is_taken_over_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.lock"
    write_lock(path, dead_process())
    create = cache_lock._create

    def too_late(one: Path) -> bool:
        return create(one) if one != path else False

    monkeypatch.setattr(cache_lock, "_create", too_late)
    with pytest.raises(CacheBusy), locked(path):
        pass


@pytest.mark.parametrize(
    ("error", "running"), [(ProcessLookupError, False), (PermissionError, True), (OverflowError, True)]
)
def test_a_process_that_may_not_be_asked_runs(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], running: bool
) -> None:
    def kill(*_: int) -> None:
        raise error

    monkeypatch.setattr(os, "kill", kill)
    assert cache_lock._is_running(1) is running


def test_on_windows_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "kill")
    assert cache_lock._is_running(1)
