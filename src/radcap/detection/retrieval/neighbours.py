"""What a search found.

Invariant: each row is ordered, the nearest first, equal scores by place; where there are fewer neighbours
than asked for, the place is -1 and the score minus infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Neighbours"]


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """For each query the places of its neighbours in the index, and how near they are.

    A score is a cosine, or minus the Euclidean distance: higher is nearer.
    """

    places: NDArray[np.int64]  # (query, k)
    scores: NDArray[np.float32]

    @classmethod
    def none(cls, queries: int, k: int) -> Neighbours:
        """Nothing near to any query."""
        return cls(np.full((queries, k), -1, np.int64), np.full((queries, k), -np.inf, np.float32))

    @classmethod
    def joined(cls, parts: Sequence[Neighbours]) -> Neighbours:
        """Those of some queries, then those of others."""
        return cls(
            np.concatenate([one.places for one in parts]), np.concatenate([one.scores for one in parts])
        )

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which of the k are neighbours at all."""
        return self.places >= 0

    def first(self, k: int) -> Neighbours:
        """The k nearest only."""
        return Neighbours(self.places[:, :k], self.scores[:, :k])
