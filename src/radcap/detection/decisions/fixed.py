"""One threshold, told beforehand (the baselines' 0.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.thresholds import Thresholds, read_thresholds, same_for_all

if TYPE_CHECKING:
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE"]


def _fit(evidence: Evidence) -> Thresholds:
    return same_for_all(evidence.config.threshold, len(evidence.labels))


RULE = RuleMaker(_fit, read_thresholds)
