"""Which of several ways a sentence takes.

Invariant: the same key chooses the same way on every machine and in every run; no key is the first way.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["chosen"]


def chosen(key: str, what: str, ways: Sequence[str]) -> str:
    """One of the ways; one that stands there twice comes twice as often."""
    if not key:
        return ways[0]
    digest = blake2b(f"{what}\n{key}".encode(), digest_size=8).digest()
    return ways[int.from_bytes(digest, "big") % len(ways)]
