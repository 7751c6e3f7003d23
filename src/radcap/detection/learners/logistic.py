"""Logistic regression, one label against the rest."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.learners.descent import descend
from radcap.detection.learners.learner import prior_logits
from radcap.detection.learners.linear import Scaling

if TYPE_CHECKING:
    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Floats, Truth
    from radcap.detection.learners.linear import LinearLearner

__all__ = ["fit_logistic"]

_TOGETHER = 256  # labels, so that the scores of all images fit into memory


def fit_logistic(settings: Learner, vectors: Floats, truth: Truth) -> LinearLearner:
    """Of a label that all images have, or none, only how likely it is can be learnt."""
    scaling = Scaling.of(vectors)
    theta = np.zeros((vectors.shape[1] + 1, truth.shape[1]), np.float32)
    theta[-1] = prior_logits(truth)
    x = torch.from_numpy(scaling.apply(vectors))
    learnable = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    for start in range(0, len(learnable), _TOGETHER):
        some = learnable[start : start + _TOGETHER]
        y = torch.from_numpy(truth[:, some].astype(np.float32))
        theta[:, some] = descend(x, y, settings.strength, torch.from_numpy(theta[:, some])).numpy()
    return scaling.learner("logistic", theta)
