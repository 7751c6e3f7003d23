"""An axis of powers of ten, for counts of which a few are huge and most are small.

Invariant: it starts at 1 and ends at or beyond the largest value, so a share lies in 0 to 1.
>>> axis = log_axis(4_300)
>>> [axis.label(tick) for tick in axis.ticks]
['1', '10', '100', '1,000']
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["LogAxis", "log_axis"]


@dataclass(frozen=True, slots=True)
class LogAxis:
    """From 1 to `high`; the ticks are the powers of ten between."""

    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """How far along the axis a value lies; below 1 it lies at the start."""
        return min(math.log(max(value, 1.0)) / math.log(self.high), 1.0)

    def label(self, tick: float) -> str:
        return f"{tick:,.0f}"


def log_axis(most: float) -> LogAxis:
    """The axis for values from 1 to `most`; it has room for one power of ten at least."""
    high = max(float(most), 10.0)
    powers = math.floor(math.log10(high) + 1e-12)
    return LogAxis(high, tuple(10.0**power for power in range(powers + 1)))
