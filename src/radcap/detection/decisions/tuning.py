"""A few numbers chosen by sample-averaged F1, one after the other.

Invariant: the first value of each grid is the start, and only a better one replaces it.
>>> tuned({"x": (0.0, 1.0, 2.0)}, lambda found: -abs(found["x"] - 1.9))
{'x': 2.0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.detection.calibration.arrays import Ints

__all__ = ["spread_rows", "tuned"]

_PASSES = 2
_BETTER = 1e-9  # below this a difference is rounding


def tuned(
    grids: Mapping[str, tuple[float, ...]], score: Callable[[Mapping[str, float]], float]
) -> dict[str, float]:
    """Coordinate search: twice over all names, each value asked for once."""
    known: dict[tuple[float, ...], float] = {}

    def asked(found: Mapping[str, float]) -> float:
        key = tuple(found.values())
        if key not in known:
            known[key] = score(found)
        return known[key]

    best = {name: values[0] for name, values in grids.items()}
    for _ in range(_PASSES):
        for name, values in grids.items():
            for value in values:
                other = {**best, name: value}
                if asked(other) > asked(best) + _BETTER:
                    best = other
    return best


def spread_rows(rows: int, most: int) -> Ints:
    """At most so many rows, evenly spread over all."""
    return np.unique(np.linspace(0, max(rows - 1, 0), min(rows, most)).astype(np.int64))
