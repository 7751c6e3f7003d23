"""One builder for a cache at a time.

Invariant: who holds the lock wrote the lock file, and takes it away when done. The lock of a process that has
died on this machine is taken over; of another machine nobody can tell, so a person decides.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from radcap.core import RadcapError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["CacheBusy", "locked"]


class CacheBusy(RadcapError):
    """Another process builds the same cache, or died on another machine while it did."""


@dataclass(frozen=True, slots=True)
class _Holder:
    """Who builds, since when (UTC)."""

    process: int
    machine: str
    since: str

    @property
    def is_gone(self) -> bool:
        """Whether it surely has ended."""
        return self.machine == socket.gethostname() and not _is_running(self.process)


@contextmanager
def locked(path: Path) -> Generator[None]:
    """A block that only one process runs at a time; a second one gets `CacheBusy`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not _create(path):
        _take_over(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _create(path: Path) -> bool:
    """Write the lock file unless there is one."""
    since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    text = json.dumps(asdict(_Holder(os.getpid(), socket.gethostname(), since)))
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return True


def _take_over(path: Path) -> None:
    """Take the lock of a process that has died; a second lock keeps others from doing so at once."""
    gate = path.with_suffix(".taking")
    if not _create(gate):
        raise _busy(gate, _holder(gate))
    try:
        holder = _holder(path)
        if holder is None or not holder.is_gone:
            raise _busy(path, holder)
        path.unlink()
        if not _create(path):
            raise _busy(path, _holder(path))
    finally:
        gate.unlink()


def _busy(path: Path, holder: _Holder | None) -> CacheBusy:
    who = f"Process {holder.process} on {holder.machine}, since {holder.since}," if holder else "A process"
    return CacheBusy(
        f"{who} is building this cache, and two at a time would be in each other's way."
        f" Wait for it. If it has ended, delete {path}."
    )


def _holder(path: Path) -> _Holder | None:
    """Who wrote a lock file; nobody where it is gone or only half written."""
    try:
        return _Holder(**json.loads(path.read_text("utf-8")))
    except (OSError, TypeError, ValueError):
        return None


def _is_running(process: int) -> bool:
    if sys.platform == "win32":
        return True  # there, asking would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's
    return True
