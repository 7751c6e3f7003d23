"""Labels that depend on each other: the label sets seen in training, weighed by how well they fit an image.

Invariant: the answer is exact for the mixture of two laws: sets Y with weights count^a * likelihood(Y)^b, and
independent labels. a, b and the share of the first law are tuned by F1 on held-out images; a share of 0 is
`expected-f1`. Only the likeliest `sets` of an image and its `candidates` are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import in_row_chunks
from radcap.detection.decisions.f1 import mean_f1
from radcap.detection.decisions.gfm import best_sets, gains_of
from radcap.detection.decisions.independent import independent_gains, none_there
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.set_store import read_store, store_of
from radcap.detection.decisions.set_weights import heaviest, joint_law
from radcap.detection.decisions.tuning import spread_rows, tuned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.likeliest import Likeliest
    from radcap.detection.decisions.rules import Evidence
    from radcap.detection.decisions.set_store import SetStore

__all__ = ["RULE", "LabelSets"]

_GRIDS = {
    "share": (0.5, 0.0, 0.25, 0.75, 1.0),
    "count_power": (0.5, 0.0, 0.25, 1.0),
    "fit_power": (1.0, 0.5, 0.75, 1.5),
}


@dataclass(frozen=True, slots=True, eq=False)
class LabelSets:
    """The sets and the three tuned numbers."""

    config: Decision
    store: SetStore
    share: float = 0.5
    count_power: float = 0.5
    fit_power: float = 1.0

    def decide(self, probabilities: Numbers) -> Bools:
        return self.decide_without(probabilities, None)

    def decide_without(self, probabilities: Numbers, own: Ints | None) -> Bools:
        """Decide as if each image's `own` set had been seen once less: it may be there only for its sake."""
        result = np.empty(probabilities.shape, dtype=np.bool_)

        def work(chunk: slice) -> None:
            part = probabilities[chunk]
            top = likeliest(part, self.config.candidates)
            gains, none = self._mixed(part, top, None if own is None else own[chunk])
            chosen, _ = best_sets(gains, none * self.config.empty_scores)
            result[chunk] = top.decided(chosen)

        width = max(self.config.candidates**2, len(self.store.columns), probabilities.shape[1])
        in_row_chunks(work, len(probabilities), width)
        return result

    def _mixed(self, part: Numbers, top: Likeliest, own: Ints | None) -> tuple[Floats, Floats]:
        share = self.share
        gains, none = np.zeros(1), np.zeros(1)
        if share < 1:
            gains = (1 - share) * independent_gains(top.probabilities, top.beyond)
            none = (1 - share) * none_there(top.probabilities, top.beyond)
        if share > 0:
            powers = self.count_power, self.fit_power
            places, weights = heaviest(self.store, part, powers, self.config.sets, own)
            q, empty = joint_law(self.store, places, weights, top)
            gains = gains + share * gains_of(q, top.columns.shape[1])
            none = none + share * empty
        return gains, none

    def to_json(self) -> dict[str, Any]:
        tuned_numbers = {name: getattr(self, name) for name in _GRIDS}
        return {**tuned_numbers, **self.store.to_json()}


def _fit(evidence: Evidence) -> LabelSets:
    store, places = store_of(evidence.prior_truth)
    rows = spread_rows(len(evidence.truth), evidence.config.fit_images)
    probabilities, truth = evidence.probabilities[rows], evidence.truth[rows]
    own = places[rows] if evidence.train_truth is None else None
    start = LabelSets(evidence.config, store)
    if not len(store.sizes):  # nothing was ever seen
        return replace(start, share=0.0)

    def score(found: Mapping[str, float]) -> float:
        return mean_f1(replace(start, **found).decide_without(probabilities, own), truth)

    return replace(start, **tuned(_GRIDS, score))


def _read(fields: Fields, config: Decision, labels: int) -> LabelSets:
    numbers = {name: fields.number(name, 0, 1 if name == "share" else 100) for name in _GRIDS}
    store = read_store(fields, labels)
    if numbers["share"] > 0 and not len(store.sizes):
        fields.note("'sets' has none")
    return LabelSets(config, store, **numbers)


RULE = RuleMaker(_fit, _read)
