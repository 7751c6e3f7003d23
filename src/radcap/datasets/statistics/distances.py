"""How far two lists of shares are apart.

Invariant: both distances are 0 for equal shares and 1 for shares that have nothing in common.
>>> total_variation({"CT": 0.5, "MR": 0.5}, {"CT": 1.0})
0.5
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["jensen_shannon", "total_variation"]


def total_variation(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The share that would have to move to make one the other."""
    return math.fsum(abs(first.get(key, 0.0) - second.get(key, 0.0)) for key in {**first, **second}) / 2


def jensen_shannon(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """The Jensen-Shannon distance to base 2: the square root of the divergence, which makes it a metric."""
    terms: list[float] = []
    for key in {**first, **second}:
        p, q = first.get(key, 0.0), second.get(key, 0.0)
        middle = (p + q) / 2
        terms += [one * math.log2(one / middle) for one in (p, q) if one > 0]
    return math.sqrt(min(max(math.fsum(terms) / 2, 0.0), 1.0))
