"""Every label that some member chose (AUEB 2022, DeepLens 2025)."""

from __future__ import annotations

import numpy as np

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names

__all__ = ["RULE", "union"]


def union(values: Decided, ensemble: Ensemble, names: Names) -> Decided:  # noqa: ARG001 - the shape of a rule
    """What any member says."""
    return np.logical_or.reduce(values, axis=0)


RULE = EnsembleRule("decisions", union)
