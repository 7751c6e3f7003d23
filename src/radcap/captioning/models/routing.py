"""Which of several captioners is asked about an image (ISIA 2017): a classic learner says it by the image.

Invariant: the most probable captioner is asked; of those that are as probable, the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from radcap.captioning.members import asked
from radcap.detection.learners import Learner, load_learner

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from radcap.captioning.system import CaptionSystem
    from radcap.detection.learners import FittedLearner

__all__ = ["Router", "load_router", "router_settings"]


@dataclass(frozen=True, slots=True, eq=False)
class Router:
    """A learner whose labels are captioners, by name."""

    learner: FittedLearner
    names: tuple[str, ...]

    def choose(self, vectors: NDArray[np.float32]) -> list[str]:
        """The captioner of each image."""
        places = cast("list[int]", self.learner.logits(vectors).argmax(axis=1).tolist())
        return [self.names[place] for place in places]


def router_settings(system: CaptionSystem) -> Learner:
    """The learner that the system names, as it is by default."""
    return Learner(kind=system.join.learner, seed=system.train.seed)


def load_router(system: CaptionSystem, path: Path, width: int) -> Router:
    """The router that was kept, for vectors of a width."""
    names = tuple(one.name for one in asked(system))
    return Router(load_learner(router_settings(system), path, width, len(names)), names)
