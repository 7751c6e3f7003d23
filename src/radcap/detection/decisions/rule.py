"""Fitted rules: probabilities in, decisions out.

Invariant: a rule holds its labels and answers only for as many columns, in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.cui_sets import MODALITIES
from radcap.core.errors import UsageError
from radcap.detection.calibration.arrays import checked_labels, checked_probabilities, checked_truth
from radcap.detection.decisions.constraints import exactly_one, never_empty
from radcap.detection.decisions.rules import RULES, Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.core.runs import Cui
    from radcap.detection.calibration.arrays import Bools
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rules import Fitted

__all__ = ["Rule", "fit_rule"]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A decision rule that was fitted, with its constraints."""

    config: Decision
    labels: tuple[Cui, ...]
    fitted: Fitted

    def __call__(self, probabilities: NDArray[Any]) -> Bools:
        """Which labels each image gets: bool, of the same shape."""
        given = checked_probabilities(probabilities, len(self.labels))
        decided = self.fitted.decide(given)
        if self.config.exactly_one == "modality":
            columns = [place for place, label in enumerate(self.labels) if label in MODALITIES]
            decided = exactly_one(decided, given, np.array(columns, dtype=np.int64))
        return never_empty(decided, given) if self.config.never_empty else decided

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers, for a model's card; `rule_from_json` reads them."""
        decision = self.config.to_json()
        return {"decision": decision, "labels": list(self.labels), "fitted": self.fitted.to_json()}


def fit_rule(
    config: Decision,
    probabilities: NDArray[Any],
    truth: NDArray[Any],
    labels: Sequence[Cui],
    *,
    train_truth: NDArray[Any] | None = None,
) -> Rule:
    """The rule, fitted on held-out images. `train_truth` (images of training x labels) is where shares and
    label sets are counted; without it they come from `truth`."""
    names = checked_labels(labels)
    given = checked_probabilities(probabilities, len(names))
    known = checked_truth(truth, len(names), len(given))
    prior = None if train_truth is None else checked_truth(train_truth, len(names))
    if config.exactly_one == "modality" and names and not set(names) & set(MODALITIES):
        raise UsageError("exactly_one = 'modality' was asked for, but no label is a modality. Leave it out.")
    fitted = RULES.factory(config.rule).fit(Evidence(config, given, known, names, prior))
    return Rule(config, names, fitted)
