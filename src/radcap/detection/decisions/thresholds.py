"""Rules that end in one threshold for each label.

Invariant: a label is decided where its probability reaches the threshold; one above 1 decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision

__all__ = ["NEVER", "Thresholds", "read_thresholds", "same_for_all"]

NEVER = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Thresholds:
    """A threshold for each label. They stay float64: rounded, one could let in a label too many."""

    values: Floats

    def decide(self, probabilities: Numbers) -> Bools:
        return probabilities >= self.values

    def to_json(self) -> dict[str, Any]:
        return {"thresholds": self.values.tolist()}


def same_for_all(threshold: float, labels: int) -> Thresholds:
    """One threshold for every label."""
    return Thresholds(np.full(labels, threshold))


def read_thresholds(fields: Fields, _: Decision, labels: int) -> Thresholds:
    """The thresholds as a model folder keeps them."""
    return Thresholds(fields.numbers("thresholds", labels, 0, NEVER))
