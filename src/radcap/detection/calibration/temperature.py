"""One number that makes logits less sure of themselves, or more: sigmoid(logit / T).

Invariant: T lies between 0.01 and 100, also where a larger or smaller one would always be likelier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.detection.calibration.platt import sigmoid

if TYPE_CHECKING:
    from radcap.detection.calibration.samples import Sample

__all__ = ["fit_temperature"]

_COLDEST, _HOTTEST = 100.0, 0.01  # 1 / T
_STEPS = 200
_NEAR = 1e-12


def fit_temperature(sample: Sample) -> float:
    """1 / T of the highest likelihood: Newton, kept inside an interval that holds the answer.

    The slope of the loss rises with 1 / T, so its sign says on which side the answer lies.
    """
    low, high = _HOTTEST, _COLDEST
    now = 1.0
    for _ in range(_STEPS):
        shares = sigmoid(now * sample.logits)
        slope = float(sample.logits @ (sample.seen * shares - sample.positives))
        curvature = float((sample.logits**2) @ (sample.seen * shares * (1 - shares)))
        low, high = (now, high) if slope < 0 else (low, now)
        new = now - slope / curvature if curvature > 0 else low
        if not low < new < high:
            new = (low * high) ** 0.5
        if abs(new - now) <= _NEAR * now:
            return new
        now = new
    return now
