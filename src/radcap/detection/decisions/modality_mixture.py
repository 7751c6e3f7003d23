"""Labels that depend on the modality: a mixture of independent labels, one part for each modality.

Invariant: the answer is exact for the mixture. In the part of modality m, the log-odds of a label move by
`strength` times the log of how much likelier it is with m than without knowing m, in training. With
`keep_marginals`, they are shifted so that the parts together give the probability that the model gave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.cui_sets import MODALITIES
from radcap.detection.calibration.arrays import in_row_chunks
from radcap.detection.decisions.f1 import mean_f1
from radcap.detection.decisions.gfm import best_sets
from radcap.detection.decisions.independent import independent_gains, none_there
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.modality_parts import log_ratios, modality_weights, shifted
from radcap.detection.decisions.rules import RuleMaker
from radcap.detection.decisions.tuning import spread_rows, tuned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "ModalityMixture"]

_STRENGTHS = (0.5, 0.0, 0.25, 0.75, 1.0)
_MEMORY = 4  # parts that an image has at most, as a rule


@dataclass(frozen=True, slots=True, eq=False)
class ModalityMixture:
    """`ratios` is (modalities + 1, labels): the last row is for images of no modality."""

    config: Decision
    columns: Ints
    ratios: Floats
    strength: float = 0.5
    keep_marginals: bool = True

    def decide(self, probabilities: Numbers) -> Bools:
        result = np.empty(probabilities.shape, dtype=np.bool_)

        def work(chunk: slice) -> None:
            result[chunk] = self._decide(probabilities[chunk])

        in_row_chunks(work, len(probabilities), _MEMORY * self.config.candidates**2)
        return result

    def _decide(self, probabilities: Numbers) -> Bools:
        top = likeliest(probabilities, self.config.candidates)
        row, part, weights = modality_weights(probabilities[:, self.columns])
        moved = self.strength * self.ratios[part[:, None], top.columns[row]]
        bent = shifted(top.probabilities, moved, row, weights, keep_marginals=self.keep_marginals)
        beyond = top.beyond[row]
        first = np.flatnonzero(np.diff(row, prepend=-1))  # every row has a part, and parts follow their rows
        gains = np.add.reduceat(weights[:, None, None] * independent_gains(bent, beyond), first, axis=0)
        none = np.add.reduceat(weights * none_there(bent, beyond), first)
        chosen, _ = best_sets(gains, none * self.config.empty_scores)
        return top.decided(chosen)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": self.columns.tolist(),
            "ratios": self.ratios.tolist(),
            "strength": self.strength,
            "keep_marginals": self.keep_marginals,
        }


def _fit(evidence: Evidence) -> ModalityMixture:
    columns = np.array(
        [place for place, cui in enumerate(evidence.labels) if cui in MODALITIES], dtype=np.int64
    )
    ratios = log_ratios(evidence.prior_truth, columns, evidence.config.prior)
    rows = spread_rows(len(evidence.truth), evidence.config.fit_images)
    probabilities, truth = evidence.probabilities[rows], evidence.truth[rows]
    start = ModalityMixture(evidence.config, columns, ratios)

    def rule(found: Mapping[str, float]) -> ModalityMixture:
        return replace(start, strength=found["strength"], keep_marginals=found["keep"] == 1)

    grids = {"keep": (1.0, 0.0), "strength": _STRENGTHS}
    return rule(tuned(grids, lambda found: mean_f1(rule(found).decide(probabilities), truth)))


def _read(fields: Fields, config: Decision, labels: int) -> ModalityMixture:
    columns = fields.places("columns", None, 0, max(labels - 1, 0))
    rows = fields.objects("ratios")
    ratios = np.zeros((len(columns) + 1, labels))
    try:
        ratios = np.array(rows, dtype=np.float64).reshape(ratios.shape)
    except (TypeError, ValueError):
        fields.note(f"'ratios' is no table of {len(columns) + 1} x {labels} numbers")
    if not np.isfinite(ratios).all():
        fields.note("'ratios' holds what is no number")
    strength, keep = fields.number("strength", 0, 100), fields.flag("keep_marginals")
    return ModalityMixture(config, columns, ratios, strength, keep)


RULE = RuleMaker(_fit, _read)
