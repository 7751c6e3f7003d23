"""A file of JSON lines that only grows, and that survives the death of whoever writes it.

Invariant: a reader of the file meets complete lines only, but for the moment after a process was killed in
the middle of one; opening it again takes such a rest away.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Journal"]


class Journal:
    """Values as lines of a file, in the order they came."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def close(self) -> None:
        os.close(self._file)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The values from the first on, up to the first line that is torn or damaged."""
        with self.path.open("rb") as lines:
            for line in lines:
                value = _value(line)
                if value is None:
                    return
                yield value

    def cut(self, keep: int) -> None:
        """Keep the first lines alone; what follows them goes."""
        size = 0
        with self.path.open("rb") as lines:
            for _ in range(keep):
                size += len(lines.readline())
        os.ftruncate(self._file, size)

    def append(self, value: dict[str, Any]) -> None:
        """Add a line; where the disk has no room for all of it, none of it stays."""
        line = f"{json.dumps(value, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
        size = os.lseek(self._file, 0, os.SEEK_END)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except BaseException:
            os.ftruncate(self._file, size)
            raise


def _value(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]
