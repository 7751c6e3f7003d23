"""The rules of an ensemble by name.

Invariant: a rule over scores gives logits, so that calibration and a decision rule follow; a rule over
decisions gives decisions. Neither is handed the other's input.
>>> combine(Ensemble("union"), np.array([[[True, False]], [[False, False]]]), ("a", "b"))
array([[ True, False]])
"""

from __future__ import annotations

import numpy as np

from radcap.core import UsageError
from radcap.core.registry import Registry
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import EnsembleRule, Names, Values

__all__ = ["ENSEMBLES", "combine", "ensemble_rule"]

_HERE = "radcap.detection.ensembles"
_AXES = 3

ENSEMBLES = Registry(
    "ensemble",
    {
        "mean-logit": f"{_HERE}.mean_logit:RULE",
        "mean-probability": f"{_HERE}.mean_probability:RULE",
        "weighted": f"{_HERE}.weighted:RULE",
        "union": f"{_HERE}.union:RULE",
        "intersection": f"{_HERE}.intersection:RULE",
        "partial-intersection": f"{_HERE}.partial_intersection:RULE",
        "votes": f"{_HERE}.votes:RULE",
        "majority": f"{_HERE}.majority:RULE",
        "fallback": f"{_HERE}.fallback:RULE",
    },
)


def ensemble_rule(name: str) -> EnsembleRule:
    """The rule of this name; an unknown one is refused with the nearest."""
    return ENSEMBLES.factory(name)


def combine(ensemble: Ensemble, values: Values, names: Names = ()) -> Values:
    """One array of (image, label) from one of (member, image, label). `names` are the members'."""
    rule = ensemble_rule(ensemble.rule)
    values = np.asarray(values)
    if values.ndim != _AXES or not len(values):
        raise UsageError(
            f"The members' answers have the shape {values.shape}. An ensemble needs (member, image, label) "
            "with at least one member. Align the members first."
        )
    found = "decisions" if values.dtype == np.bool_ else "scores"
    if found != rule.over:
        raise UsageError(
            f"The rule {ensemble.rule!r} is over {rule.over}, and the members gave {found}. "
            f"{'Apply a decision rule to each member first.' if found == 'scores' else 'Give their logits.'}"
        )
    named = names or tuple(str(place) for place in range(len(values)))
    if len(named) != len(values) or len(set(named)) != len(named):
        raise UsageError(f"{len(values)} members are named {', '.join(named)}. Give each a name of its own.")
    return rule.combine(values, ensemble, named)
