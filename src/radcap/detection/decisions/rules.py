"""Decision rules by name.

Invariant: a rule is a pair of functions, one that fits it and one that reads it back; the table loads
neither. A plug-in gives such a pair under the entry point group `radcap.rule`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from radcap.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.core.runs import Cui
    from radcap.detection.calibration.arrays import Bools, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision

__all__ = ["RULES", "Evidence", "Fitted", "RuleMaker"]

RULES = Registry(
    "rule",
    {
        "fixed": "radcap.detection.decisions.fixed:RULE",
        "global": "radcap.detection.decisions.sweep:RULE",
        "per-label-greedy": "radcap.detection.decisions.greedy:RULE",
        "per-label-regularised": "radcap.detection.decisions.regularised:RULE",
        "per-head": "radcap.detection.decisions.per_head:RULE",
        "heuristic": "radcap.detection.decisions.heuristic:RULE",
        "top-k": "radcap.detection.decisions.top_k:RULE",
        "top-share": "radcap.detection.decisions.top_share:RULE",
        "expected-f1": "radcap.detection.decisions.expected_f1:RULE",
        "gfm": "radcap.detection.decisions.count_gfm:RULE",
        "label-sets": "radcap.detection.decisions.label_sets:RULE",
        "modality-mixture": "radcap.detection.decisions.modality_mixture:RULE",
    },
)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a rule is fitted on: probabilities and truth of held-out images, and the truth of training."""

    config: Decision
    probabilities: Numbers
    truth: Bools
    labels: tuple[Cui, ...]
    train_truth: Bools | None = None

    @property
    def prior_truth(self) -> Bools:
        """Where shares of labels are counted: training, or the held-out images where it is not known."""
        return self.truth if self.train_truth is None else self.train_truth


class Fitted(Protocol):
    """A rule that was fitted."""

    def decide(self, probabilities: Numbers) -> Bools: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class RuleMaker:
    """How a rule comes to be: from evidence, or from its JSON (the number of labels is known then)."""

    fit: Callable[[Evidence], Fitted]
    read: Callable[[Fields, Decision, int], Fitted]
