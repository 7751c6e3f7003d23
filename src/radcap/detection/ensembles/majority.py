"""Labels that more than half of the members chose; half of an even number is no majority."""

from __future__ import annotations

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names
from radcap.detection.ensembles.votes import at_least

__all__ = ["RULE", "majority"]


def majority(values: Decided, ensemble: Ensemble, names: Names) -> Decided:  # noqa: ARG001 - the shape of a rule
    """What more than half of the members say."""
    return at_least(values, len(values) // 2 + 1)


RULE = EnsembleRule("decisions", majority)
