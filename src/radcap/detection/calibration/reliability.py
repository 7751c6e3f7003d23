"""How honest probabilities are: reliability by bins, expected calibration error, Brier score.

Invariant: every cell (image x label) counts once; bins are of equal width, the last one holds 1.
>>> table = reliability(np.array([[0.1, 0.9]]), np.array([[False, True]]), bins=2)
>>> table.observed
(0.0, 1.0)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.errors import UsageError
from radcap.detection.calibration.arrays import checked_probabilities, checked_truth, row_chunks

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reliability", "brier", "ece", "reliability"]


@dataclass(frozen=True, slots=True)
class Reliability:
    """One entry for each bin; an empty bin has the mean and the share 0."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    mean_probability: tuple[float, ...]
    observed: tuple[float, ...]

    @property
    def ece(self) -> float:
        """The mean distance between what was said and what was there; 0 for no cells."""
        rows = zip(self.counts, self.mean_probability, self.observed, strict=True)
        return sum(count * abs(said - there) for count, said, there in rows) / max(sum(self.counts), 1)

    def to_json(self) -> dict[str, Any]:
        return {name: list(values) for name, values in asdict(self).items()}


def reliability(probabilities: NDArray[Any], truth: NDArray[Any], bins: int = 15) -> Reliability:
    """The table of a reliability chart."""
    if bins < 1:
        raise UsageError(f"bins = {bins} is no number of bins. Give 1 or more.")
    given = checked_probabilities(probabilities, truth.shape[-1])
    known = checked_truth(truth, truth.shape[-1], len(given))
    sums = np.zeros((3, bins))
    for chunk in row_chunks(*given.shape):
        part = given[chunk].ravel().astype(np.float64)
        place = np.minimum((part * bins).astype(np.int64), bins - 1)
        sums[0] += np.bincount(place, minlength=bins)
        sums[1] += np.bincount(place, weights=part, minlength=bins)
        sums[2] += np.bincount(place[known[chunk].ravel()], minlength=bins)
    counts = np.maximum(sums[0], 1)
    return Reliability(
        tuple(np.linspace(0, 1, bins + 1).tolist()),
        tuple(sums[0].astype(np.int64).tolist()),
        tuple((sums[1] / counts).tolist()),
        tuple((sums[2] / counts).tolist()),
    )


def ece(probabilities: NDArray[Any], truth: NDArray[Any], bins: int = 15) -> float:
    """Expected calibration error."""
    return reliability(probabilities, truth, bins).ece


def brier(probabilities: NDArray[Any], truth: NDArray[Any]) -> float:
    """The mean square of probability minus truth; 0 for no cells."""
    given = checked_probabilities(probabilities, truth.shape[-1])
    known = checked_truth(truth, truth.shape[-1], len(given))
    total = sum(
        float(np.square(given[chunk].astype(np.float64) - known[chunk]).sum())
        for chunk in row_chunks(*given.shape)
    )
    return total / max(given.size, 1)
