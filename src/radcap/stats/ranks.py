"""Ranks with a stated tie rule.

Invariant: equal values share the best rank they take together (1, 2, 2, 4); no value (None, NaN) has no rank.
>>> ranks([0.5790, 0.5725, 0.5725, None, 0.5648])
[1, 2, 2, None, 4]
"""

from __future__ import annotations

from bisect import bisect_left
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ranks"]


def ranks(values: Sequence[float | None]) -> list[int | None]:
    """The rank of each value, the highest first."""
    descending = [None if value is None or isnan(value) else -value for value in values]
    ordered = sorted(value for value in descending if value is not None)
    return [None if value is None else bisect_left(ordered, value) + 1 for value in descending]
