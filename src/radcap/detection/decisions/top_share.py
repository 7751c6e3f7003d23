"""One threshold that decides a set share of all image x label cells (CSIRO 2022: the top 1 %).

Invariant: on the held-out images exactly that share is decided, more only where probabilities are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.thresholds import NEVER, Thresholds, read_thresholds, same_for_all

if TYPE_CHECKING:
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE"]


def _fit(evidence: Evidence) -> Thresholds:
    cells = evidence.probabilities.ravel()
    many = round(evidence.config.share * len(cells))
    if many == 0:
        return same_for_all(NEVER, len(evidence.labels))
    place = len(cells) - many
    return same_for_all(float(np.partition(cells, place)[place]), len(evidence.labels))


RULE = RuleMaker(_fit, read_thresholds)
