"""Margins as log-odds: what a learner that only parts images from others says of how sure it is.

Invariant: those of both kinds of images are taken to lie normally, with one spread, so the order of images
stays; where a kind has no images, only the prior is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.learners.learner import prior_logits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.learners.learner import Floats, Truth

__all__ = ["log_odds_weights"]

_NARROWEST = 0.25  # spread, as a part of the gap between the kinds: no image is worth more than e^8 to 1


def log_odds_weights(theta: Floats, x: Floats, truth: Truth) -> Floats:
    """Weights (the offset last) for log-odds, of those for margins over images `x` that end with ones."""
    slope, offset = _log_odds((x @ theta).astype(np.float64), truth)
    weights = theta * slope
    weights[-1] += offset
    return weights.astype(np.float32)


def _log_odds(margins: NDArray[np.float64], truth: Truth) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What margins are multiplied by, and what is added."""
    positives: NDArray[np.int64] = truth.sum(axis=0)
    negatives = len(truth) - positives
    high = np.divide(np.where(truth, margins, 0).sum(axis=0), np.maximum(positives, 1))
    low = np.divide(np.where(truth, 0, margins).sum(axis=0), np.maximum(negatives, 1))
    both: Truth = (positives > 0) & (negatives > 0)
    gap = np.where(both, np.maximum(high - low, 0), 0)
    spread = np.square(margins - np.where(truth, high, low)).mean(axis=0)
    narrow = np.maximum(spread, np.square(_NARROWEST * gap))
    slope = np.divide(gap, narrow, out=np.zeros_like(gap), where=narrow > 0)
    return slope, prior_logits(truth) - slope * (high + low) / 2
