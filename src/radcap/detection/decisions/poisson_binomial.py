"""How many labels an image has, if each is there independently of the others.

Invariant: exact for the labels given; those beyond them count as one Poisson variable. Every step adds
positive numbers, or divides by at least 1/2, so nothing cancels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Floats

__all__ = ["count_law", "law_without_each", "mean_reciprocals", "poisson"]

_HALF = 0.5


def count_law(probabilities: Floats) -> Floats:
    """P(so many of the labels are there): (rows, m) to (rows, m + 1)."""
    rows, labels = probabilities.shape
    law = np.zeros((labels + 1, rows))  # rows last: each step then works on long pieces of memory
    law[0] = 1.0
    for many, there in enumerate(probabilities.T, start=1):
        law[1 : many + 1] = law[1 : many + 1] * (1 - there) + law[:many] * there
        law[0] *= 1 - there
    return law.T


def law_without_each(probabilities: Floats) -> Floats:
    """The law of the other labels, for each label: (rows, m) to (rows, m, m).

    A label is taken out of the law by going up for p < 1/2, down for the others: the divisor is at least 1/2.
    """
    rows, labels = probabilities.shape
    law, there = count_law(probabilities), probabilities
    without = np.empty((labels, rows, labels))
    rising = there < _HALF
    up, down = np.where(rising, there, 0.0), np.where(rising, 1.0, there)
    before: Floats = np.zeros_like(there)
    for count in range(labels):
        before = (law[:, count, None] - up * before) / (1 - up)
        without[count] = before
    after: Floats = np.zeros_like(there)
    for count in range(labels - 1, -1, -1):
        after = (law[:, count + 1, None] - (1 - down) * after) / down
        without[count] = np.where(rising, without[count], after)
    return np.maximum(np.moveaxis(without, 0, 2), 0.0)


def poisson(means: Floats) -> Floats:
    """P(so many) for each mean, up to where hardly anything is left: (rows,) to (rows, t)."""
    most = means.max(initial=0.0)
    counts = numbered(1 if most == 0 else int(most + 8 * np.sqrt(most) + 25))
    factorials = np.cumsum(np.log(np.maximum(counts, 1)))
    logs = np.log(np.maximum(means, 1e-300))[:, None]
    return np.exp(counts * logs - means[:, None] - factorials)


def mean_reciprocals(means: Floats, most: int) -> Floats:
    """E[1 / (a + N)] for a = 1 ... most, N being Poisson: (rows,) to (rows, most)."""
    law = poisson(means)
    return law @ (1.0 / (1 + numbered(most) + numbered(law.shape[1])[:, None]))
