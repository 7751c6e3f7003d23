"""Cohen's kappa of two raters, plain or weighted, with the two variances of Fleiss, Cohen and Everitt (1969).

Invariant: the variance under independence serves the test, the other one the interval; they are never mixed.
Where chance alone would agree always (one label in use) kappa is NaN, and so is all that follows from it.
>>> found = rater_kappa(["CT", "CT", "MRI", "MRI", "CT"], ["CT", "CT", "MRI", "CT", "CT"])
>>> round(found.value, 4), round(found.p, 4)
(0.5455, 0.1709)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import erfc, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import UsageError, unknown_name
from radcap.stats.comparison import Interval
from radcap.stats.confusion import ConfusionMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.stats.arrays import Floats
    from radcap.stats.confusion import Label

__all__ = ["Kappa", "Weighting", "chance_corrected", "cohen_kappa", "rater_kappa"]

_NOTHING = 1e-12  # a variance of one item below this is rounding


class Weighting(StrEnum):
    """How far apart two labels are: all alike, by steps, or by steps squared."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"

    @classmethod
    def _missing_(cls, value: object) -> Weighting:
        raise unknown_name("weighting", str(value), cls)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 is full, 0 is what chance gives."""

    value: float
    n: int
    weighting: Weighting
    variance: float
    variance_if_independent: float

    def interval(self, level: float = 0.95) -> Interval:
        """Normal interval around the value; it is not cut at 1."""
        half = NormalDist().inv_cdf((1 + level) / 2) * sqrt(self.variance)
        return Interval(self.value - half, self.value + half)

    @property
    def z(self) -> float:
        """Value in standard errors of independent raters; NaN if they cannot but agree as chance does."""
        spread = sqrt(self.variance_if_independent)
        return self.value / spread if spread else nan

    @property
    def p(self) -> float:
        """Two-sided, for the hypothesis of independent raters."""
        return erfc(abs(self.z) / sqrt(2))


def chance_corrected(observed: float, expected: float) -> float:
    """The share of agreement that chance left to reach; NaN if it left nothing.

    >>> round(chance_corrected(0.945, 0.2348), 3)  # modality, ROCOv2
    0.928
    """
    return (observed - expected) / (1 - expected) if expected < 1 else nan


def rater_kappa(
    first: Sequence[Label],
    second: Sequence[Label],
    *,
    labels: Sequence[Label] | None = None,
    weighting: str = Weighting.NONE,
) -> Kappa:
    """Kappa of two label sequences. A weighted one needs `labels`: the whole scale in order."""
    if labels is None and Weighting(weighting) is not Weighting.NONE:
        raise UsageError(
            f"A {weighting} kappa was asked for without labels. A level that nobody used would change the "
            "distances. Give all labels in their order."
        )
    return cohen_kappa(ConfusionMatrix.of(first, second, labels), weighting)


def cohen_kappa(matrix: ConfusionMatrix, weighting: str = Weighting.NONE) -> Kappa:
    """Kappa of a confusion matrix; weights go by the position of a label in it."""
    kind = Weighting(weighting)
    counts = np.array(matrix.counts, dtype=np.float64)
    weights = _agreement(len(matrix.labels), kind)
    # Chance disagrees exactly never, as whole numbers show before any rounding.
    if not (np.outer(matrix.row_totals, matrix.column_totals) * (1 - weights)).any():
        return Kappa(nan, matrix.n, kind, nan, nan)
    shares = counts / matrix.n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    chance = np.outer(rows, columns)
    expected = float((weights * chance).sum())
    value = chance_corrected(float((weights * shares).sum()), expected)
    pull = (weights @ columns)[:, None] + rows @ weights  # the mean weights of a row and of a column
    scale = (1 - expected) ** 2
    spread = (shares * (weights - pull * (1 - value)) ** 2).sum() - (value - expected * (1 - value)) ** 2
    spread_if_independent = (chance * (weights - pull) ** 2).sum() - expected**2
    return Kappa(
        value,
        matrix.n,
        kind,
        _variance(float(spread / scale), matrix.n),
        _variance(float(spread_if_independent / scale), matrix.n),
    )


def _agreement(size: int, weighting: Weighting) -> Floats:
    """How much two labels agree: 1 on the diagonal, 0 in the far corners."""
    if weighting is Weighting.NONE:
        return np.eye(size)
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / max(1, size - 1)
    return 1 - steps ** (1 if weighting is Weighting.LINEAR else 2)


def _variance(of_one: float, n: int) -> float:
    return of_one / n if of_one > _NOTHING else 0.0
