"""The F1 of many subsets of members at once.

Invariant: every rule here is linear: a subset chooses a cell where the sum over its members reaches what the
rule needs, so that one matrix product serves thousands of subsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.rules import ensemble_rule
from radcap.detection.ensembles.scoring import F1, Cells, Floats, cells_of, f1_scores
from radcap.detection.ensembles.values import Decided, Values

__all__ = ["Masks", "SubsetScorer"]

_AT_ONCE = 2**21  # cells times subsets that are scored together
_RULES = ("mean-logit", "mean-probability", "union", "intersection", "votes", "majority")
Masks: TypeAlias = NDArray[np.bool_]  # (subset, member)


@dataclass(frozen=True, slots=True, eq=False)
class SubsetScorer:
    """What is needed to score subsets under one rule."""

    parts: NDArray[np.float32]  # (member, cell)
    cells: Cells
    ensemble: Ensemble
    objective: F1

    @classmethod
    def of(cls, ensemble: Ensemble, values: Values, truth: Decided) -> SubsetScorer:
        _check(ensemble, values)
        decided = values.dtype == np.bool_
        # a mean reaches the threshold only where some member does
        possible = np.logical_or.reduce(values if decided else values >= ensemble.threshold, axis=0)
        cells = cells_of(possible, truth)
        parts = values[:, cells.rows, cells.columns].astype(np.float32)
        if ensemble.rule == "mean-probability":
            parts = _probability(parts)
        return cls(parts, cells, ensemble, "micro-f1" if ensemble.objective == "micro-f1" else "sample-f1")

    def scores(self, masks: Masks) -> Floats:
        """The F1 of each subset. Where more votes are asked for than it has members, all must agree."""
        step = max(1, _AT_ONCE // max(1, self.parts.shape[1]))
        starts = range(0, len(masks), step)
        return np.concatenate([self._block(masks[start : start + step]) for start in starts])

    def _block(self, masks: Masks) -> Floats:
        sums = masks.astype(np.float32) @ self.parts
        return f1_scores(self.cells, sums >= self._needed(masks.sum(axis=1))[:, None], self.objective)

    def _needed(self, sizes: NDArray[np.int64]) -> NDArray[np.float32]:
        threshold = np.float32(self.ensemble.threshold)
        needed = {
            "mean-logit": threshold * sizes,
            "mean-probability": _probability(threshold) * sizes,
            "union": np.ones(len(sizes)),
            "intersection": sizes,
            "votes": np.minimum(self.ensemble.votes, sizes),
            "majority": sizes // 2 + 1,
        }
        return needed[self.ensemble.rule].astype(np.float32)


def _probability(logits: NDArray[np.float32] | np.float32) -> NDArray[np.float32]:
    return np.exp(-np.logaddexp(np.float32(0), -logits))


def _check(ensemble: Ensemble, values: Values) -> None:
    if ensemble.rule not in _RULES:
        raise UsageError(
            f"The rule {ensemble.rule!r} has no subsets to search. Search one of {', '.join(_RULES)}."
        )
    over, decided = ensemble_rule(ensemble.rule).over, values.dtype == np.bool_
    if (over == "decisions") != decided:
        raise UsageError(
            f"The rule {ensemble.rule!r} is over {over}, and the members gave "
            f"{'decisions' if decided else 'scores'}. Give it what it is over."
        )
    if ensemble.rule == "votes" and not 1 <= ensemble.votes <= len(values):
        raise UsageError(
            f"votes is {ensemble.votes} and there are {len(values)} members. Give 1 to {len(values)}."
        )
