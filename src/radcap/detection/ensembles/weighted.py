"""A weighted mean of logits. The weights are given, or fitted on held-out images (`fitting.fit_weights`)."""

from __future__ import annotations

import numpy as np

from radcap.core import UsageError
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import EnsembleRule, Logits, Names

__all__ = ["RULE", "weighted"]


def weighted(values: Logits, ensemble: Ensemble, names: Names) -> Logits:  # noqa: ARG001 - the shape of a rule
    """The mean of what the members give, by their weights."""
    if not ensemble.weights:
        raise UsageError("The rule 'weighted' has no weights. Fit them on held-out images, or give them.")
    if len(ensemble.weights) != len(values):
        raise UsageError(
            f"There are {len(ensemble.weights)} weights and {len(values)} members. Give one for each."
        )
    weights = np.asarray(ensemble.weights, np.float32)
    return np.tensordot(weights / weights.sum(), values, axes=1).astype(np.float32, copy=False)


RULE = EnsembleRule("scores", weighted)
