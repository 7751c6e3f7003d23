"""The shape of the fixture that writes runs and truths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Writer"]


class Writer(Protocol):
    """Writes run.csv and truth/ and returns both paths."""

    def __call__(
        self,
        edition: str,
        truth: Mapping[str, str | None],
        run: Mapping[str, str | None],
        manual: Mapping[str, str | None] | None = None,
    ) -> tuple[Path, Path]: ...
