"""What `[learner]` of a system file may say: a classic model over the vectors of images, not a head."""

from __future__ import annotations

from dataclasses import dataclass

from radcap.vision.ranges import ABOVE_ZERO, Range, check_ranges

__all__ = ["Learner"]

_COUNT = Range(1, float("inf"), "Give 1 or more.")


@dataclass(frozen=True, slots=True)
class Learner:
    """`kind` is one of `LEARNERS`: logistic, perceptron, trees, forest, boosted."""

    kind: str = "logistic"
    trees: int = 50  # forest and boosted: how many
    depth: int = 6  # trees, forest and boosted: the longest way from root to leaf
    leaf: int = 5  # trees and forest: the fewest training images of a leaf
    rate: float = 0.3  # boosted: what each tree adds
    strength: float = 1.0  # logistic: the inverse of its regularisation
    rounds: int = 20  # perceptron: passes over the training images
    seed: int = 0

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("trees", "depth", "leaf", "rounds"), _COUNT)
        check_ranges(self, counts | {"rate": ABOVE_ZERO, "strength": ABOVE_ZERO})
