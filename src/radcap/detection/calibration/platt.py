"""Two numbers that make a logit honest: sigmoid(slope * logit + offset).

Invariant: the answer is finite whatever the sample, since no target is 0 or 1. Targets are those of Platt
(1999): (n+ + 1) / (n+ + 2) where the label is there, 1 / (n- + 2) where it is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Floats
    from radcap.detection.calibration.samples import Sample

__all__ = ["fit_platt", "sigmoid"]

_STEPS = 100
_HALVINGS = 40
_RIDGE = 1e-10  # keeps the curvature invertible where all logits are equal


def sigmoid(values: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * values)


def fit_platt(sample: Sample) -> tuple[float, float]:
    """Slope and offset of the highest likelihood, by Newton steps that never go uphill."""
    positive, total = sample.positives.sum(), sample.seen.sum()
    high, low = (positive + 1) / (positive + 2), 1 / (total - positive + 2)
    wanted = sample.positives * high + (sample.seen - sample.positives) * low
    centre = float(np.average(sample.logits, weights=sample.seen))
    spread = float(np.sqrt(np.average((sample.logits - centre) ** 2, weights=sample.seen))) or 1.0
    design = np.stack([(sample.logits - centre) / spread, np.ones_like(sample.logits)])
    share = wanted.sum() / total
    found = _descend(design, sample.seen, wanted, np.array([0.0, np.log(share / (1 - share))]))
    slope = float(found[0]) / spread
    return slope, float(found[1]) - slope * centre


def _descend(design: Floats, seen: Floats, wanted: Floats, start: Floats) -> Floats:
    theta, loss = start, _loss(start @ design, seen, wanted)
    for _ in range(_STEPS):
        shares = sigmoid(theta @ design)
        gradient = design @ (seen * shares - wanted)
        curvature = (design * (seen * shares * (1 - shares))) @ design.T
        ridge = _RIDGE * (1.0 + float(np.trace(curvature)))
        step = np.asarray(np.linalg.solve(curvature + ridge * np.eye(2), gradient), dtype=np.float64)
        theta, better = _downhill(design, seen, wanted, theta, step, loss)
        if loss - better <= 1e-14 * abs(loss):
            break
        loss = better
    return theta


def _downhill(
    design: Floats, seen: Floats, wanted: Floats, theta: Floats, step: Floats, loss: float
) -> tuple[Floats, float]:
    """The step, halved until it helps."""
    for _ in range(_HALVINGS):
        better = _loss((theta - step) @ design, seen, wanted)
        if better <= loss:
            return theta - step, better
        step = step / 2
    return theta, loss


def _loss(values: Floats, seen: Floats, wanted: Floats) -> float:
    return float(seen @ np.logaddexp(0.0, values) - wanted @ values)
