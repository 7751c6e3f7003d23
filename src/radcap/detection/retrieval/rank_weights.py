"""What each of the k neighbours counts by its rank, and the share of the weights from which a label is taken.

Invariant: weights are never negative and not all 0; the cut lies between 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from radcap.detection.retrieval.vectors import Floats

__all__ = ["RankWeights"]

_HIGHEST = 1 - 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class RankWeights:
    """One weight for each rank, the nearest first."""

    weights: Floats
    cut: float

    @classmethod
    def equal(cls, k: int, cut: float) -> RankWeights:
        """Every neighbour counts alike."""
        return cls(np.full(k, 1 / k, np.float32), min(cut, _HIGHEST))
