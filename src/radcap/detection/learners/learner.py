"""What a classic learner is, and how one is fitted by its name.

Invariant: it takes the vectors of images (n x width, single precision) and gives logits in the order of the
labels; once fitted it is arrays, and needs no package but numpy to answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.learners.registry import LEARNERS

if TYPE_CHECKING:
    from radcap.detection.learners.config import Learner

__all__ = ["Arrays", "FittedLearner", "Floats", "Truth", "fit_learner", "prior_logits"]

Floats: TypeAlias = NDArray[np.float32]
Truth: TypeAlias = NDArray[np.bool_]
Arrays: TypeAlias = dict[str, NDArray[Any]]


class FittedLearner(Protocol):
    """What answers, and what of it is stored."""

    @property
    def kind(self) -> str: ...
    def logits(self, vectors: Floats) -> Floats: ...
    def arrays(self) -> Arrays: ...


def fit_learner(settings: Learner, vectors: Floats, truth: Truth, seed: int = 0) -> FittedLearner:
    """The learner of a kind over vectors (n x width) and which labels each image has (n x labels).

    `seed` is that of the training: it is for a learner that names none of its own.
    """
    if not len(vectors):
        raise UsageError("There are no images for [learner] to learn from. Look at [data] fit.")
    if not np.isfinite(vectors).all():
        raise UsageError(
            "The network's vectors hold no numbers (NaN or infinity), so [learner] cannot learn from them."
            " Lower [train] lr, or begin with other weights."
        )
    seeded = replace(settings, seed=seed if settings.seed is None else settings.seed)
    fitted = LEARNERS.factory(settings.kind)(seeded, np.ascontiguousarray(vectors, np.float32), truth)
    return cast("FittedLearner", fitted)


def prior_logits(truth: Truth) -> Floats:
    """How likely each label is where nothing is known, with half an image more on either side: of a label
    that all images have, or none, not everything is known."""
    positives = truth.sum(axis=0)
    return np.log((positives + 0.5) / (len(truth) - positives + 0.5)).astype(np.float32)
