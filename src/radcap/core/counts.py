"""Numbers with what they count, as every sentence and table of radcap has them.

Invariant: thousands are set apart by a comma, and one is never several.
>>> counted(1), counted(19_267), counted(2, "match", "matches")
('1 image', '19,267 images', '2 matches')
"""

from __future__ import annotations

__all__ = ["counted"]


def counted(n: int, noun: str = "image", several: str = "") -> str:
    """A number and its noun; `several` is the plural where an s does not make it."""
    return f"{n:,} {noun if n == 1 else several or f'{noun}s'}"
