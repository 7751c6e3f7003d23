"""A set expression over members, such as "(a & b) | (c & d)" (AUEB 2025)."""

from __future__ import annotations

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.expression import evaluate, parse
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names

__all__ = ["RULE", "partial_intersection"]


def partial_intersection(values: Decided, ensemble: Ensemble, names: Names) -> Decided:
    """What an expression over the members says, as in (a & b) | c."""
    if not ensemble.expression.strip():
        raise UsageError(
            "The rule 'partial-intersection' has no expression. Write one over the members "
            f'{", ".join(names)}, such as "({names[0]} & {names[-1]}) | {names[0]}".'
        )
    tree = parse(ensemble.expression, names)
    return evaluate(tree, dict(zip(names, values, strict=True)))


RULE = EnsembleRule("decisions", partial_intersection)
