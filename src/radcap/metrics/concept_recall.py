"""The share of true concepts that the run found, per image.

Invariant: an empty truth scores 0 against any prediction and 1 against none.
>>> set_recall(frozenset({"C0040405"}), frozenset({"C0040405", "C0817096"}))
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

__all__ = ["set_recall"]


def set_recall(predicted: AbstractSet[str], truth: AbstractSet[str]) -> float:
    """Recall of one image."""
    if not truth:
        return 0.0 if predicted else 1.0
    return len(predicted & truth) / len(truth)
