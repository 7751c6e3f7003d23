"""One process at a time in a folder.

Invariant: the lock is the system's own, so it goes with the process however that ends, and a copy of the
folder has none. Where a system or a file system knows no locks, nobody is kept out.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from radcap.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

__all__ = ["LOCK", "alone_in"]

LOCK = ".radcap-lock"


@contextmanager
def alone_in(folder: Path, command: str) -> Generator[None]:
    """A block in which no other `command` works in the folder; a second one is refused."""
    path = folder / LOCK
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _is_had(file):
            raise UsageError(
                f"{folder} is being written to by another {command}. Wait for it, or name a new folder."
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def _is_had(file: int) -> bool:
    if find_spec("fcntl") is None:
        return True
    fcntl: Any = import_module("fcntl")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system that knows no locks
    return True
