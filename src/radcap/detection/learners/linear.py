"""A weight for each feature and label: what logistic regression, support vectors and the perceptron come to.

Invariant: features are learnt from standardised, and asked about as they are: mean and spread are in the
weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.learners.learner import Arrays, Floats

__all__ = ["LinearLearner", "Scaling"]


@dataclass(frozen=True, slots=True, eq=False)
class LinearLearner:
    """Weights (width x labels) and offsets (labels)."""

    kind: str
    weights: Floats
    offsets: Floats

    def logits(self, vectors: Floats) -> Floats:
        return vectors @ self.weights + self.offsets

    def arrays(self) -> Arrays:
        return {"weights": self.weights, "offsets": self.offsets}

    @classmethod
    def of_arrays(cls, kind: str, arrays: Arrays) -> LinearLearner:
        return cls(kind, arrays["weights"], arrays["offsets"])


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """The mean and spread of each feature; one that never changes keeps its size."""

    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, vectors: Floats) -> Scaling:
        mean, spread = vectors.mean(axis=0, dtype=np.float64), vectors.std(axis=0, dtype=np.float64)
        is_still = spread <= np.finfo(np.float32).eps * np.abs(mean)
        return cls(mean.astype(np.float32), np.where(is_still, 1, spread).astype(np.float32))

    def apply(self, vectors: Floats) -> Floats:
        """Standardised, with a feature that is always 1 as the last."""
        scaled = (vectors - self.mean) / self.spread
        return np.hstack([scaled, np.ones((len(vectors), 1), np.float32)])

    def learner(self, kind: str, theta: Floats) -> LinearLearner:
        """From weights over standardised features, the offset last, to those over features as they are."""
        weights = theta[:-1].astype(np.float64) / self.spread[:, None]
        offsets = theta[-1] - self.mean @ weights
        return LinearLearner(kind, weights.astype(np.float32), offsets.astype(np.float32))
