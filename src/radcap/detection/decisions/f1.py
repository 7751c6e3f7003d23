"""Sample-averaged F1 of decisions, as arrays.

Invariant: an image with nothing decided and nothing true scores 1, as under the official rules.
>>> sample_f1(np.array([[True, False], [False, False]]), np.array([[True, True], [False, False]])).tolist()
[0.6666666666666666, 1.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import checked_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.calibration.arrays import Bools, Floats

__all__ = ["f1_of_counts", "mean_f1", "sample_f1"]


def sample_f1(decided: NDArray[Any], truth: NDArray[Any]) -> Floats:
    """F1 of each image."""
    known = checked_truth(truth, truth.shape[-1])
    chosen = checked_truth(decided, truth.shape[-1], len(known))
    hits = np.count_nonzero(chosen & known, axis=1)
    return f1_of_counts(hits, np.count_nonzero(chosen, axis=1), np.count_nonzero(known, axis=1))


def mean_f1(decided: Bools, truth: Bools) -> float:
    """Its mean; 0 for no images, so that any rule is as good as another."""
    return float(sample_f1(decided, truth).mean()) if len(truth) else 0.0


def f1_of_counts(hits: NDArray[Any], chosen: NDArray[Any], true: NDArray[Any]) -> Floats:
    """F1 from how many labels were right, decided and true."""
    total = (chosen + true).astype(np.float64)
    return np.divide(2.0 * hits, total, out=np.ones_like(total), where=total > 0)
