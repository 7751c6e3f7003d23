"""A model made of several, whose answers are joined by a rule.

Invariant: members answer one after another over the same images; only images that every member could look at
are answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.platt import sigmoid
from radcap.detection.ensembles import Member, align, combine, ensemble_rule, placed
from radcap.detection.ensembles.reach import joins_any_labels
from radcap.detection.models.answers import Answers, rescued, scored
from radcap.detection.models.counting import mean_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets import Dataset
    from radcap.detection.calibration import Calibrator
    from radcap.detection.decisions import CountRescue, Rule
    from radcap.detection.ensembles import Aligned, Ensemble
    from radcap.detection.models.opening import Model

__all__ = ["EnsembleModel", "aligned_answers", "voted_scores"]

_SURE = np.float32(4)  # the logit of a yes by a member that only decides


@dataclass(frozen=True, eq=False)
class EnsembleModel:
    """Members by name, the rule that joins them, and what is done to joined scores."""

    members: Mapping[str, Model]
    ensemble: Ensemble
    labels: tuple[Cui, ...]
    names: Mapping[Cui, str]
    calibrator: Calibrator | None = None
    rule: Rule | None = None
    rescue: CountRescue | None = None

    def answers(self, dataset: Dataset, progress: Callable[[str, int], None] | None = None) -> Answers:
        """What the members say together."""
        told = {
            name: member.answers(dataset, _named(progress, name)) for name, member in self.members.items()
        }
        return self.joined(told)

    def joined(self, told: Mapping[str, Answers]) -> Answers:
        """What follows from the answers of all members."""
        joined = aligned_answers(list(told), list(told.values()), self.ensemble)
        values = combine(self.ensemble, joined.values, joined.names)
        refused = {one: code for answers in told.values() for one, code in answers.refused.items()}
        counts = mean_counts(joined.ids, told.values())
        found = Answers(joined.ids, joined.labels, values, refused=refused, counts=counts)
        if values.dtype == np.bool_:
            likely = None if self.rescue is None else voted_scores(joined, list(told.values()))
            return rescued(found, self.rescue, likely)
        return rescued(scored(found, values.astype(np.float32), self.calibrator, self.rule), self.rescue)


def _named(progress: Callable[[str, int], None] | None, member: str) -> Callable[[str, int], None] | None:
    """Progress under the member's own name, since each begins at nothing."""
    return None if progress is None else lambda _, done: progress(member, done)


def aligned_answers(names: Sequence[str], told: Sequence[Answers], ensemble: Ensemble) -> Aligned:
    """The members' scores or decisions, as the rule wants them, over the images all of them saw."""
    scores = ensemble_rule(ensemble.rule).over == "scores"
    common = set(told[0].ids).intersection(*(one.ids for one in told[1:]))
    members = [_member(name, one, common, scores=scores) for name, one in zip(names, told, strict=True)]
    return align(members, apart=joins_any_labels(ensemble))


def voted_scores(joined: Aligned, told: Sequence[Answers]) -> NDArray[np.float64]:
    """Which labels are likeliest where decisions are joined: by votes, then by the mean probability.

    Members are added one by one: all of them in double precision would take more than a machine has.
    """
    total, common = np.zeros(joined.values.shape[1:]), set(joined.ids)
    for name, one in zip(joined.names, told, strict=True):
        scores = placed(_member(name, one, common, scores=True), joined.ids, joined.labels)
        total += sigmoid(scores.astype(np.float64))
    return joined.values.sum(axis=0) + total / len(told)


def _member(name: str, told: Answers, common: AbstractSet[str], *, scores: bool) -> Member:
    """What a member said of the images that all saw."""
    keep = np.array([image in common for image in told.ids], np.bool_)
    ids = tuple(image for image in told.ids if image in common)
    values = _scores(told) if scores else told.decided
    return Member(name, ids, told.labels, values[keep])


def _scores(told: Answers) -> NDArray[np.float32]:
    """Logits; a member that only decides is sure either way."""
    return np.where(told.decided, _SURE, -_SURE) if told.logits is None else told.logits
