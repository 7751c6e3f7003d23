"""On how many images one run beats another.

Invariant: a tie is exact equality; an image that does not count for either run (NaN) is none of the three.
>>> count_wins(np.array([1.0, 0.5, 0.0, np.nan]), np.array([0.5, 0.5, 1.0, 1.0]))
Wins(wins=1, ties=1, losses=1)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radcap.stats.arrays import Floats

__all__ = ["Wins", "count_wins"]


@dataclass(frozen=True, slots=True)
class Wins:
    """Images where the first run is higher, equal, lower."""

    wins: int
    ties: int
    losses: int


def count_wins(first: Floats, second: Floats) -> Wins:
    """Compare two runs image by image."""
    return Wins(*(int(np.count_nonzero(kind)) for kind in (first > second, first == second, first < second)))
