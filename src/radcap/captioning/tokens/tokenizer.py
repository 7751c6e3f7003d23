"""What a tokenizer is.

Invariant: `encode` and `decode` know nothing of the marks (`pad`, `begin`, `end`): those are put on and taken
off by whoever makes a batch. `decode` leaves them out wherever they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Tokenizer"]


class Tokenizer(Protocol):
    """Pieces of words as numbers from 0 to `size` - 1."""

    @property
    def size(self) -> int: ...
    @property
    def pad(self) -> int: ...
    @property
    def begin(self) -> int: ...
    @property
    def end(self) -> int: ...
    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def save(self, path: Path) -> None: ...
