"""Linear support vector machines (Cortes and Vapnik 1995), one label against the rest, over a squared hinge.

Invariant: images stand in the order of their distance to the other side, which becomes log-odds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.detection.learners.against_rest import against_rest
from radcap.detection.learners.descent import MARGIN
from radcap.detection.learners.linear import Scaling
from radcap.detection.learners.margins import log_odds_weights

if TYPE_CHECKING:
    from radcap.detection.learners.config import Learner
    from radcap.detection.learners.learner import Floats, Truth
    from radcap.detection.learners.linear import LinearLearner

__all__ = ["fit_support_vectors"]


def fit_support_vectors(settings: Learner, vectors: Floats, truth: Truth) -> LinearLearner:
    """The machines of all labels; `strength` is what a lack of margin costs."""
    scaling = Scaling.of(vectors)
    x = scaling.apply(vectors)
    theta = against_rest(x, truth, settings.strength, MARGIN)
    return scaling.learner("svm", log_odds_weights(theta, x, truth))
