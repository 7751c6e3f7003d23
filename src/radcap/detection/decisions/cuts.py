"""One label's threshold, with all other labels held still.

Invariant: gains are exact, of the mean F1 over all images, and come from one sort of the label's column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered
from radcap.detection.decisions.f1 import f1_of_counts

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers

__all__ = ["Counts", "cut_gains", "grid"]


@dataclass(slots=True)
class Counts:
    """How many labels of each image are right, decided and true, as decisions change."""

    hits: Ints
    chosen: Ints
    true: Ints

    @classmethod
    def of(cls, decided: Bools, truth: Bools) -> Counts:
        counted = (np.count_nonzero(one, axis=1) for one in (decided & truth, decided, truth))
        return cls(*counted)

    def add(self, decided: Bools, truth: Bools, times: int = 1) -> None:
        """Decide one label where told, or take it back."""
        self.hits = self.hits + times * (decided & truth)
        self.chosen = self.chosen + times * decided


def cut_gains(column: Numbers, truth: Bools, counts: Counts, cuts: Floats) -> Floats:
    """What each cut adds to the sum of F1, against never deciding this label, which `counts` leave out."""
    near = np.flatnonzero(column >= cuts.min(initial=np.inf))
    near = near[np.argsort(-column[near], kind="stable")]
    hits, chosen, true = counts.hits[near], counts.chosen[near], counts.true[near]
    added = f1_of_counts(hits + truth[near], chosen + 1, true) - f1_of_counts(hits, chosen, true)
    many = np.searchsorted(-column[near].astype(np.float64), -cuts, side="right")
    return np.append(0.0, np.cumsum(added))[many]


def grid(column: Numbers, step: float, highest: float) -> Floats:
    """Thresholds to try, from `highest` down: multiples of the step, or every probability seen (step 0)."""
    if step > 0:
        values = np.asarray(highest - step * numbered(int(highest / step + 1e-9) + 1), dtype=np.float64)
        return values[values > step / 2].round(12)  # 0.3, not 0.30000000000000004
    seen: Floats = np.unique(column.astype(np.float64))[::-1]
    return seen[(seen <= highest) & (seen > 0)]
