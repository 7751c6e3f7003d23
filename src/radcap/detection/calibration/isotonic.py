"""A rising curve from logit to probability, by pooling neighbours that fall (PAV).

Invariant: the curve never falls; between its knots it is a straight line, outside them flat.
>>> curve = Curve(np.array([0.0, 1.0]), np.array([0.2, 0.6]))
>>> curve(np.array([-5.0, 0.5, 9.0])).tolist()
[0.2, 0.4, 0.6]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Floats, Numbers
    from radcap.detection.calibration.samples import Sample

__all__ = ["Curve", "fit_isotonic"]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Knots: logits that ascend and the probability at each."""

    logits: Floats
    probabilities: Floats

    def __call__(self, logits: Numbers) -> Floats:
        return np.interp(logits, self.logits, self.probabilities)


def fit_isotonic(sample: Sample) -> Curve:
    """The rising curve of least squares."""
    means = sample.positives / sample.seen
    starts = np.flatnonzero(np.diff(means, prepend=np.inf))  # runs of equal means, few where labels are rare
    seen = np.add.reduceat(sample.seen, starts).tolist()
    positives = np.add.reduceat(sample.positives, starts).tolist()
    blocks: list[tuple[float, float, int]] = []  # seen, positives, first place
    for weight, found, start in zip(seen, positives, starts.tolist(), strict=True):
        block = (weight, found, start)
        while blocks and blocks[-1][1] * block[0] >= block[1] * blocks[-1][0]:
            weight_before, found_before, first = blocks.pop()
            block = (block[0] + weight_before, block[1] + found_before, first)
        blocks.append(block)
    firsts = np.array([block[2] for block in blocks])
    lasts = np.append(firsts[1:], len(means)) - 1
    heights = np.array([block[1] / block[0] for block in blocks])
    places, kept = np.unique(np.stack([firsts, lasts], axis=1).ravel(), return_index=True)
    return Curve(sample.logits[places], np.repeat(heights, 2)[kept])
