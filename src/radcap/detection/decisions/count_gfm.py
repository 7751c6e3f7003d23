"""GFM with the number of labels corrected: labels are independent, but for how many an image has.

Invariant: with strength 0 it decides as `expected-f1`. The ratio of what was counted in training to what the
probabilities say, for each number of labels, is raised to a strength that is tuned by F1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import in_row_chunks
from radcap.detection.decisions.f1 import mean_f1
from radcap.detection.decisions.gfm import best_sets
from radcap.detection.decisions.independent import corrected_gains, whole_law
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.tuning import spread_rows, tuned

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "CountGfm"]

_STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)
_SMOOTHING = 5.0  # images added to each number of labels, as the probabilities have them
_FURTHEST = 1e3  # ratio that is believed
_MOST = 32  # numbers of labels that are told apart


@dataclass(frozen=True, slots=True, eq=False)
class CountGfm:
    """`ratios[s]`: how much likelier s labels are than the probabilities say."""

    candidates: int
    empty_scores: bool
    ratios: Floats

    def decide(self, probabilities: Numbers) -> Bools:
        result = np.empty(probabilities.shape, dtype=np.bool_)

        def work(chunk: slice) -> None:
            top = likeliest(probabilities[chunk], self.candidates)
            gains, none = corrected_gains(top.probabilities, top.beyond, self.ratios)
            chosen, _ = best_sets(gains, none * self.empty_scores)
            result[chunk] = top.decided(chosen)

        in_row_chunks(work, len(probabilities), self.candidates**2)
        return result

    def to_json(self) -> dict[str, Any]:
        return {"ratios": self.ratios.tolist()}


def _fit(evidence: Evidence) -> CountGfm:
    config, known = evidence.config, evidence.prior_truth
    rows = spread_rows(len(evidence.truth), config.fit_images)
    probabilities, truth = evidence.probabilities[rows], evidence.truth[rows]
    ratios = _ratios(config, probabilities, known)

    def rule(strength: float) -> CountGfm:
        return CountGfm(config.candidates, config.empty_scores, ratios**strength)

    found = tuned(
        {"strength": _STRENGTHS}, lambda one: mean_f1(rule(one["strength"]).decide(probabilities), truth)
    )
    return rule(found["strength"])


def _ratios(config: Decision, probabilities: Numbers, known: Bools) -> Floats:
    """Counted over expected, drawn towards 1 where few images have so many labels."""
    if not len(known) or not len(probabilities):
        return np.ones(1)
    top = likeliest(probabilities, config.candidates)
    expected = whole_law(top.probabilities, top.beyond, _MOST).mean(axis=0)
    sizes = np.minimum(np.count_nonzero(known, axis=1), _MOST - 1)
    counted = np.bincount(sizes, minlength=_MOST)
    share = (counted + _SMOOTHING * expected) / (len(known) + _SMOOTHING)
    return np.clip(share / np.maximum(expected, 1e-12), 1 / _FURTHEST, _FURTHEST)


def _read(fields: Fields, config: Decision, _: int) -> CountGfm:
    ratios = fields.numbers("ratios", None, 0, 1e6)
    if not ratios.any():
        fields.note("'ratios' has none above 0")
    return CountGfm(config.candidates, config.empty_scores, ratios)


RULE = RuleMaker(_fit, _read)
