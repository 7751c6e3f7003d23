"""One threshold for each group of labels that are about as frequent: SPU 2026 has one for each of its heads.

Invariant: groups are made by the shares of training, the most frequent labels first, as many in each. All
begin at the best global threshold, and a group moves only where the mean F1 rises, the others held still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered
from radcap.detection.decisions.cuts import Counts, grid
from radcap.detection.decisions.f1 import f1_of_counts
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.sweep import best_threshold
from radcap.detection.decisions.thresholds import NEVER, Thresholds, read_thresholds
from radcap.detection.decisions.tuning import spread_rows

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "frequency_groups"]

_PASSES = 5
_MOST_CUTS = 512  # of a group, where every probability seen may be one
_DIGITS = 12


def frequency_groups(counts: Ints, heads: int) -> list[Ints]:
    """The labels of each group, parted as a head of kind `grouped` parts them; there are fewer groups where
    there are fewer labels."""
    order = np.argsort(-counts, kind="stable")
    part = numbered(len(order)) * heads // max(len(order), 1)
    return [order[part == one] for one in np.unique(part)]


def _fit(evidence: Evidence) -> Thresholds:
    config, given, truth = evidence.config, evidence.probabilities, evidence.truth
    values = np.full(len(evidence.labels), best_threshold(given, truth))
    if not len(truth):
        return Thresholds(values)
    groups = frequency_groups(evidence.prior_truth.sum(axis=0), config.heads)
    before, left = np.empty(0), _PASSES
    while left and not np.array_equal(before, values):
        before, left = values.copy(), left - 1
        for columns in groups:
            values[columns] = _best_cut(given, truth, values, columns, config.step)
    return Thresholds(values)


def _best_cut(given: Numbers, truth: Bools, values: Floats, columns: Ints, step: float) -> float:
    """The threshold of one group; of equally good ones the one it has, then the highest."""
    seen, there, now = given[:, columns], truth[:, columns], float(values[columns[0]])
    tried = grid(seen.ravel(), step, 1.0)
    tried = tried[spread_rows(len(tried), _MOST_CUTS)]
    cuts = np.unique(np.concatenate([tried, [now, NEVER]]))
    counts = Counts.of(given >= values, truth)
    mine = Counts.of(seen >= now, there)
    hits = (counts.hits - mine.hits)[:, None] + _at_cuts(seen, there, cuts)
    chosen = (counts.chosen - mine.chosen)[:, None] + _at_cuts(seen, np.ones_like(there), cuts)
    scores = f1_of_counts(hits, chosen, counts.true[:, None]).mean(axis=0).round(_DIGITS)
    best = np.flatnonzero(scores == scores.max())
    return now if now in cuts[best] else float(cuts[best[-1]])


def _at_cuts(seen: Numbers, wanted: Bools, cuts: Floats) -> Ints:
    """How many of the wanted cells of each row each cut lets in: (image, cut)."""
    rows, columns = np.nonzero(wanted & (seen >= cuts[0]))
    above = np.searchsorted(cuts, seen[rows, columns].astype(np.float64), side="right")  # cuts it reaches
    width = len(cuts) + 1
    found = np.bincount(rows * width + above, minlength=len(seen) * width).reshape(len(seen), width)
    return np.cumsum(found[:, ::-1], axis=1)[:, ::-1][:, 1:]


RULE = RuleMaker(_fit, read_thresholds)
