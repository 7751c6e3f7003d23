"""Gains of labels that are independent given the image, as `gfm` wants them.

Invariant: best_sets over these gains is the answer of `expected-f1`; here they can be mixed with others, or
the law of the number of labels can be corrected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered
from radcap.detection.decisions.poisson_binomial import count_law, law_without_each, mean_reciprocals, poisson

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Floats

__all__ = ["corrected_gains", "independent_gains", "none_there", "whole_law"]


def none_there(probabilities: Floats, beyond: Floats) -> Floats:
    """P(no label at all)."""
    return np.prod(1 - probabilities, axis=1) * np.exp(-beyond)


def independent_gains(probabilities: Floats, beyond: Floats) -> Floats:
    """(rows, m) to (rows, m, m): 2 p_i E[1 / (k + 1 + other labels)] for k = 1 ... m."""
    labels = int(probabilities.shape[1])
    means = mean_reciprocals(beyond, 2 * labels)  # of 1 / a, a = 1 ... 2 m
    places = 1 + numbered(labels)[:, None] + numbered(labels)  # a = k + 1 + t, k from 1, t from 0
    return 2 * probabilities[:, :, None] * (law_without_each(probabilities) @ means[:, places])


def corrected_gains(probabilities: Floats, beyond: Floats, ratios: Floats) -> tuple[Floats, Floats]:
    """Gains, and P(no label), where each number s of labels is `ratios[s]` times as likely as said.

    The last ratio holds for all larger numbers.
    """
    labels = int(probabilities.shape[1])
    tail = poisson(beyond)  # (rows, t)
    last = len(ratios) - 1
    counts = 1 + numbered(labels)[:, None] + numbered(tail.shape[1])  # (exact count, tail)
    sized = ratios[np.minimum(counts, last)] / (1 + numbered(labels)[:, None, None] + counts)
    means = np.einsum("kct,rt->rck", sized, tail, optimize=True)
    gains = 2 * probabilities[:, :, None] * (law_without_each(probabilities) @ means)
    total = whole_law(probabilities, beyond, last + 1) @ ratios
    return gains / total[:, None, None], none_there(probabilities, beyond) * ratios[0] / total


def whole_law(probabilities: Floats, beyond: Floats, most: int) -> Floats:
    """P(s labels), s = 0 ... most - 1, the last standing for all larger numbers: (rows, most)."""
    exact, tail = count_law(probabilities), poisson(beyond)
    law = np.zeros((len(exact), most))
    for count in range(exact.shape[1]):
        for more in range(min(tail.shape[1], max(most - count, 1))):
            law[:, min(count + more, most - 1)] += exact[:, count] * tail[:, more]
    law[:, -1] = np.maximum(1 - law[:, :-1].sum(axis=1), 0.0)
    return law
