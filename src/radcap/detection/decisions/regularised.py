"""A threshold for each label, held near the global one: the way of the 2026 winner.

Invariant: a label with too few positives keeps the global threshold; another moves up or down only where the
gain in mean F1 exceeds `penalty` times the distance. Frequent labels come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.decisions.cuts import Counts, cut_gains, grid
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.sweep import best_threshold
from radcap.detection.decisions.thresholds import Thresholds, read_thresholds

if TYPE_CHECKING:
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE"]


def _fit(evidence: Evidence) -> Thresholds:
    config, truth = evidence.config, evidence.truth
    start = min(best_threshold(evidence.probabilities, truth), 1.0)
    values = np.full(len(evidence.labels), start)
    counts = Counts.of(evidence.probabilities >= values, truth)
    positives = truth.sum(axis=0)
    order = np.argsort(-positives, kind="stable")
    for column in order[positives[order] >= max(config.min_positives, 1)].tolist():
        seen, there = np.ascontiguousarray(evidence.probabilities[:, column]), truth[:, column]
        counts.add(seen >= values[column], there, -1)
        cuts = np.append(start, grid(seen, config.step, 1.0))
        gains = cut_gains(seen, there, counts, cuts) / len(truth) - config.penalty * np.abs(cuts - start)
        values[column] = cuts[int(np.argmax(gains.round(12)))]  # the first of equals: the global threshold
        counts.add(seen >= values[column], there)
    return Thresholds(values)


RULE = RuleMaker(_fit, read_thresholds)
