"""Labels that enough members chose, the dual threshold: each member cuts by itself, then votes are counted.

Invariant: one vote is the union, as many as there are members the intersection.
"""

from __future__ import annotations

import numpy as np

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names

__all__ = ["RULE", "at_least", "votes"]


def at_least(values: Decided, needed: int) -> Decided:
    """Where so many members say yes."""
    return values.sum(axis=0, dtype=np.int32) >= needed


def votes(values: Decided, ensemble: Ensemble, names: Names) -> Decided:  # noqa: ARG001 - the shape of a rule
    """What so many members say."""
    if not 1 <= ensemble.votes <= len(values):
        raise UsageError(
            f"votes is {ensemble.votes} and there are {len(values)} members. Give 1 to {len(values)}: "
            "1 is the union, the highest the intersection."
        )
    return at_least(values, ensemble.votes)


RULE = EnsembleRule("decisions", votes)
