"""One process at a time in a folder."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from radcap.core import UsageError
from radcap.core.folder_lock import LOCK, alone_in

HOLDER = """
import sys, time
from pathlib import Path
from radcap.core.folder_lock import alone_in
with alone_in(Path(sys.argv[1]), "test"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_one_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    with alone_in(tmp_path, "radcap read"):
        with (
            pytest.raises(UsageError, match=r"written to by another radcap read\. Wait for it, or name"),
            alone_in(tmp_path, "radcap read"),
        ):
            raise AssertionError
        assert (tmp_path / LOCK).exists()
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_gives_the_folder_back(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), alone_in(tmp_path, "test"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with alone_in(tmp_path, "test"):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    program = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UsageError), alone_in(tmp_path, "test"):
            raise AssertionError
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with alone_in(tmp_path, "test"):
        pass


def test_locks_are_not_needed_where_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.core.folder_lock.find_spec", lambda _: None)
    with alone_in(tmp_path, "test"), alone_in(tmp_path, "test"):
        pass


def test_a_file_system_without_locks_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", refuses)
    with alone_in(tmp_path, "test"), alone_in(tmp_path, "test"):
        pass
