"""What a command leaves, for the tests that call it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Command", "Done"]


class Done(NamedTuple):
    """What a command left: exit code, data, talk."""

    code: int
    out: str
    err: str


class Command(Protocol):
    """`radcap` with these arguments."""

    def __call__(self, *arguments: str | Path) -> Done: ...
