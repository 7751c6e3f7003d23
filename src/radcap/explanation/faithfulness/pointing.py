"""Whether a map lies where the thing is: the pointing game (Zhang 2016) and the overlap with a true region.

Invariant: only what speaks for a statement counts, values above zero; a map without any points nowhere.
>>> cam = np.array([[0.0, 0.2], [0.6, 1.0]])
>>> truth = np.array([[0, 0], [0, 1]], bool)
>>> points(cam, truth), overlap(cam, truth), overlap_at_area(cam, truth)
(True, 0.5, 1.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["overlap", "overlap_at_area", "points"]

_HALF = 0.5  # of the largest value, where boxes are cut too


def points(cam: NDArray[Any], truth: NDArray[np.bool_]) -> bool:
    """Whether the highest value lies in the region; of several, the first one counts."""
    return bool(cam.max() > 0 and truth.flat[int(cam.argmax())])


def overlap(cam: NDArray[Any], truth: NDArray[np.bool_], at: float = _HALF) -> float:
    """Intersection over union of the region and what reaches this share of the largest value."""
    return _union_share((cam > 0) & (cam >= at * cam.max()), truth)


def overlap_at_area(cam: NDArray[Any], truth: NDArray[np.bool_]) -> float:
    """The same for the highest values, as many as the region has pixels: judges the order alone."""
    order = np.argsort(-cam, axis=None, kind="stable")[: np.count_nonzero(truth)]
    chosen = np.zeros(cam.shape, np.bool_)
    chosen.flat[order] = True
    return _union_share(chosen & (cam > 0), truth)


def _union_share(chosen: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    union = int(np.count_nonzero(chosen | truth))
    return int(np.count_nonzero(chosen & truth)) / union if union else 0.0
