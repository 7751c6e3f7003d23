"""The mean of the members' probabilities, given back as a logit so that calibration can follow."""

from __future__ import annotations

import numpy as np

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import EnsembleRule, Logits, Names

__all__ = ["RULE", "mean_probability"]


def mean_probability(values: Logits, ensemble: Ensemble, names: Names) -> Logits:  # noqa: ARG001 - the shape of a rule
    """From log p and log (1 - p), so that neither tail is rounded to 0 or 1."""
    yes = _log_mean(-np.logaddexp(np.float32(0), -values))
    no = _log_mean(-np.logaddexp(np.float32(0), values))
    return yes - no


def _log_mean(logs: Logits) -> Logits:
    top = logs.max(axis=0)
    return top + np.log(np.exp(logs - top).mean(axis=0, dtype=np.float32))


RULE = EnsembleRule("scores", mean_probability)
