"""The share of predicted concepts that the truth has, per image.

Invariant: no prediction scores 0, unless the truth is empty too, which scores 1.
>>> set_precision(frozenset({"C0040405", "C0817096"}), frozenset({"C0040405"}))
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

__all__ = ["set_precision"]


def set_precision(predicted: AbstractSet[str], truth: AbstractSet[str]) -> float:
    """Precision of one image."""
    if not predicted:
        return 0.0 if truth else 1.0
    return len(predicted & truth) / len(predicted)
