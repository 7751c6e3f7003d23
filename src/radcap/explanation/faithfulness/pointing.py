"""Whether a map lies where the thing is: the pointing game (Zhang 2016) and the overlap with a true region.

Invariant: only what speaks for a statement counts, values above zero; a map without any points nowhere.
>>> cam = np.array([[0.0, 0.2], [0.6, 1.0]])
>>> truth = np.array([[0, 0], [0, 1]], bool)
>>> points(cam, truth), overlap(cam, truth)
(True, 0.5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["overlap", "points"]

_HALF = 0.5  # of the largest value, where boxes are cut too


def points(cam: NDArray[Any], truth: NDArray[np.bool_]) -> bool:
    """Whether the highest value lies in the region; of several, the first one counts."""
    return bool(cam.max() > 0 and truth.flat[int(cam.argmax())])


def overlap(cam: NDArray[Any], truth: NDArray[np.bool_], at: float = _HALF) -> float:
    """Intersection over union of the region and what reaches this share of the largest value."""
    chosen = (cam > 0) & (cam >= at * cam.max())
    union = int(np.count_nonzero(chosen | truth))
    return int(np.count_nonzero(chosen & truth)) / union if union else 0.0
