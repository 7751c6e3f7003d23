"""From a map to boxes: where most of the relevance lies.

Invariant: a box bounds one connected region above the threshold, and its share is of all positive relevance
of the map, so the shares of a map never add up to more than 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError
from radcap.explanation.pictures.regions import labelled
from radcap.explanation.pictures.relevance import positive
from radcap.explanation.values import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["boxes_of"]

_LEAST = 0.02  # of the relevance: less is a speck


def boxes_of(relevance: NDArray[np.floating], threshold: float = 0.5, most: int = 3) -> tuple[Box, ...]:
    """Boxes around what reaches `threshold` of the maximum, the largest share first."""
    if not 0 < threshold <= 1:
        raise UsageError(f"A threshold of {threshold} is no share of the maximum: give one above 0, up to 1.")
    values = positive(relevance)
    peak, whole = float(values.max(initial=0.0)), float(values.sum())
    if peak <= 0:
        return ()
    labels, count = labelled(values >= threshold * peak)
    sums = np.bincount(labels.ravel(), weights=values.ravel(), minlength=count + 1)[1:] / whole
    order = [int(place) for place in np.argsort(-sums, kind="stable") if sums[place] >= _LEAST]
    return tuple(_box(labels == place + 1, float(sums[place])) for place in order[:most])


def _box(region: NDArray[np.bool_], share: float) -> Box:
    height, width = region.shape
    rows, columns = np.flatnonzero(region.any(axis=1)), np.flatnonzero(region.any(axis=0))
    left, top = int(columns[0]), int(rows[0])
    across, down = int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top
    return Box(left / width, top / height, across / width, down / height, share)
