"""Members in order: the next one answers where all before it returned nothing (VCMI 2022)."""

from __future__ import annotations

import numpy as np

from radcap.detection.ensembles.config import Ensemble
from radcap.detection.ensembles.values import Decided, EnsembleRule, Names

__all__ = ["RULE", "fallback"]


def fallback(values: Decided, ensemble: Ensemble, names: Names) -> Decided:  # noqa: ARG001 - the shape of a rule
    """An image for which nobody has an answer stays empty."""
    spoken = values.any(axis=2)
    first = np.argmax(spoken, axis=0)  # the first member where none has spoken: its row is empty too
    return values[first, np.arange(values.shape[1])]


RULE = EnsembleRule("decisions", fallback)
