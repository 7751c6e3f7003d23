"""The one threshold for all labels that has the best sample-averaged F1 on the held-out images.

Invariant: up to four million cells every probability seen is tried; beyond, every step of 1 / 16,384. Of
equally good ones the highest is taken. F1 is not computed for each threshold: a row's labels are added from
the likeliest down, and what each adds is booked at its probability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import in_row_chunks, numbered, sums_at
from radcap.detection.decisions.f1 import f1_of_counts
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.thresholds import NEVER, Thresholds, read_thresholds, same_for_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.detection.calibration.arrays import Bools, Floats, Numbers
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "best_threshold"]

_EXACT = 2**22  # cells
_STEPS = 2**14  # a power of two, so that a probability times it is exact; 16 bits sort fastest


def best_threshold(probabilities: Numbers, truth: Bools) -> float:
    """The threshold; one above 1 where deciding nothing is best, or nothing was given."""
    if not probabilities.size:
        return NEVER
    if probabilities.size <= _EXACT:
        cuts, ranks = np.unique(probabilities, return_inverse=True)
        ranks = ranks.reshape(probabilities.shape)
        gains = _gains(lambda chunk: ranks[chunk], truth, len(cuts))
    else:
        cuts = np.arange(_STEPS + 1) / _STEPS
        gains = _gains(lambda chunk: (probabilities[chunk] * _STEPS).astype(np.uint16), truth, len(cuts))
    totals = np.cumsum(np.append(0.0, gains[::-1]))  # first: nothing decided
    best = int(np.argmax(totals.round(9)))
    return NEVER if best == 0 else float(cuts[::-1][best - 1])


def _gains(ranks: Callable[[slice], np.ndarray], truth: Bools, cuts: int) -> Floats:
    """What is added to the sum of F1 when the labels at each cut are decided too."""

    def work(chunk: slice) -> Floats:
        given = ranks(chunk)
        order = np.argsort((cuts - given).astype(np.min_scalar_type(cuts)), axis=1, kind="stable")
        hits = np.take_along_axis(truth[chunk], order, axis=1)
        true = np.count_nonzero(hits, axis=1)[:, None]
        found = f1_of_counts(np.cumsum(hits, axis=1), 1 + numbered(hits.shape[1]), true)
        added = np.diff(found, axis=1, prepend=(true == 0).astype(np.float64))
        places = np.take_along_axis(given, order, axis=1)
        return sums_at(places.ravel(), added.ravel(), cuts)

    return np.sum(in_row_chunks(work, *truth.shape), axis=0)


def _fit(evidence: Evidence) -> Thresholds:
    return same_for_all(best_threshold(evidence.probabilities, evidence.truth), len(evidence.labels))


RULE = RuleMaker(_fit, read_thresholds)
