"""Linear models by descent, one label against the rest.

Invariant: of a label that all images have, or none, only how likely it is can be learnt.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from radcap.detection.learners.descent import descend
from radcap.detection.learners.learner import prior_logits

if TYPE_CHECKING:
    from radcap.detection.learners.descent import Loss
    from radcap.detection.learners.learner import Floats, Truth

__all__ = ["against_rest"]

_TOGETHER = 256  # labels, so that the scores of all images fit into memory


def against_rest(x: Floats, truth: Truth, strength: float, loss: Loss) -> Floats:
    """The weights (the offset last) over images `x` that end with ones; `strength` is the cost of losses."""
    theta = np.zeros((x.shape[1], truth.shape[1]), np.float32)
    theta[-1] = prior_logits(truth)
    images = torch.from_numpy(x)
    learnable = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    for start in range(0, len(learnable), _TOGETHER):
        some = learnable[start : start + _TOGETHER]
        y = torch.from_numpy(truth[:, some].astype(np.float32))
        begin = torch.from_numpy(theta[:, some])
        theta[:, some] = descend(images, y, strength, begin, loss=loss).numpy()
    return theta
