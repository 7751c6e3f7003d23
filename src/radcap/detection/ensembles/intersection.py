"""Only the labels that every member chose."""

from __future__ import annotations

import numpy as np

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names

__all__ = ["RULE", "intersection"]


def intersection(values: Decided, ensemble: Ensemble, names: Names) -> Decided:  # noqa: ARG001 - the shape of a rule
    """What every member says."""
    return np.logical_and.reduce(values, axis=0)


RULE = EnsembleRule("decisions", intersection)
