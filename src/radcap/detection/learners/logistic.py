"""Logistic regression, one label against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.detection.learners.against_rest import against_rest
from radcap.detection.learners.descent import LOGISTIC
from radcap.detection.learners.linear import Scaling

if TYPE_CHECKING:
    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Floats, Truth
    from radcap.detection.learners.linear import LinearLearner

__all__ = ["fit_logistic"]


def fit_logistic(settings: Learner, vectors: Floats, truth: Truth) -> LinearLearner:
    """The regressions of all labels."""
    scaling = Scaling.of(vectors)
    theta = against_rest(scaling.apply(vectors), truth, settings.strength, LOGISTIC)
    return scaling.learner("logistic", theta)
