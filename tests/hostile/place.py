"""The shape of the fixture that puts a file somewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Place"]


class Place(Protocol):
    """Puts bytes into a fresh file."""

    def __call__(self, content: bytes, name: str = "run.csv") -> Path: ...
