"""How the answers of several members become one.

Invariant: the value alone decides what is computed: weights that were fitted are part of it.
>>> Ensemble(rule="votes", votes=2).rule
'votes'
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from radcap.core import UsageError

__all__ = ["Ensemble"]

_HEAVIEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The table `[ensemble]` of a system file."""

    rule: str = "mean-logit"
    weights: tuple[float, ...] = ()  # of `weighted`; none: to be fitted
    votes: int = 0  # of `votes`: how many members must say yes
    expression: str = ""  # of `partial-intersection`: "(a & b) | c" over member names
    search: Literal["none", "subsets"] = "none"
    objective: Literal["sample-f1", "micro-f1", "log-loss"] = "sample-f1"  # of fitting and of the search
    threshold: float = 0.0  # a logit: where the search cuts averaged scores

    def __post_init__(self) -> None:
        if self.votes < 0:
            raise UsageError(f"votes is {self.votes}. It counts members that say yes. Give 1 or more.")
        if any(not 0 <= weight <= _HEAVIEST for weight in self.weights):  # so written, NaN fails too
            raise UsageError(
                f"weights is {self.weights}. A weight is a number from 0 to {_HEAVIEST:,}."
                " Give one per member."
            )
        if self.weights and not sum(self.weights):
            raise UsageError("All weights are 0. No member would count. Give one of them a weight.")
