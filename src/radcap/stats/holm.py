"""Holm's step-down correction of p-values.

Invariant: a corrected p is never below its p, never above 1, and keeps the order of the p-values.
>>> holm_adjusted([0.01, 0.04, 0.03])
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["holm_adjusted"]


def holm_adjusted(p: Sequence[float]) -> list[float]:
    """Each p corrected for all of them, in the given order."""
    ascending = sorted(range(len(p)), key=p.__getitem__)
    scaled = (min(1.0, (len(p) - step) * p[place]) for step, place in enumerate(ascending))
    adjusted = dict(zip(ascending, accumulate(scaled, max), strict=True))
    return [adjusted[place] for place in range(len(p))]
