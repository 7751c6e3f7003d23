"""The mean of the members' logits: the geometric mean of their odds."""

from __future__ import annotations

import numpy as np

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import EnsembleRule, Logits, Names

__all__ = ["RULE", "mean_logit"]


def mean_logit(values: Logits, ensemble: Ensemble, names: Names) -> Logits:  # noqa: ARG001 - the shape of a rule
    """The mean of what the members give, before it becomes a probability."""
    return values.mean(axis=0, dtype=np.float32)


RULE = EnsembleRule("scores", mean_logit)
