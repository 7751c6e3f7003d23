"""A lower threshold for rarer labels, without a search: 0.5 - scale * log(N / n), within 0.05 and 0.95.

Invariant: a label that was never seen has the lowest threshold. (AUEB NLP Group, 2025.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.thresholds import Thresholds, read_thresholds

if TYPE_CHECKING:
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE"]

_LOWEST, _HIGHEST = 0.05, 0.95


def _fit(evidence: Evidence) -> Thresholds:
    known = evidence.prior_truth
    shares = known.sum(axis=0) / max(len(known), 1)
    logs = np.log(np.maximum(shares, 1e-300))  # scale 0 leaves 0.5 also for a label never seen
    return Thresholds(np.clip(0.5 + evidence.config.scale * logs, _LOWEST, _HIGHEST))


RULE = RuleMaker(_fit, read_thresholds)
