"""A threshold for each label by greedy coordinate search: the way of the 2025 winner.

Invariant: every label starts at `start`; labels are visited once, in the order of their columns, and a
threshold only falls. It over-fits rare labels, which is why it is here to compare with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.decisions.cuts import Counts, cut_gains, grid
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.thresholds import Thresholds, read_thresholds

if TYPE_CHECKING:
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE"]


def _fit(evidence: Evidence) -> Thresholds:
    config, truth = evidence.config, evidence.truth
    values = np.full(len(evidence.labels), config.start)
    counts = Counts.of(evidence.probabilities >= values, truth)
    for column in range(len(values)):
        seen, there = np.ascontiguousarray(evidence.probabilities[:, column]), truth[:, column]
        counts.add(seen >= values[column], there, -1)
        cuts = np.append(config.start, grid(seen, config.step, config.start))
        gains = cut_gains(seen, there, counts, cuts)
        values[column] = cuts[int(np.argmax(gains.round(9)))]  # the first of equals: the highest
        counts.add(seen >= values[column], there)
    return Thresholds(values)


RULE = RuleMaker(_fit, read_thresholds)
