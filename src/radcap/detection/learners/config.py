"""What `[learner]` of a system file may say: a classic model over the vectors of images, not a head."""

from __future__ import annotations

from dataclasses import dataclass

from radcap.vision.ranges import SEED, Range, above_zero, between, check_ranges

__all__ = ["Learner"]


@dataclass(frozen=True, slots=True)
class Learner:
    """`kind` is one of `LEARNERS`: logistic, svm, perceptron, trees, forest, boosted."""

    kind: str = "logistic"
    trees: int = 50  # forest and boosted: how many
    depth: int = 6  # trees, forest and boosted: the longest way from root to leaf
    leaf: int = 5  # trees and forest: the fewest training images of a leaf
    rate: float = 0.3  # boosted: what each tree adds
    strength: float = 1.0  # logistic and svm: the inverse of its regularisation
    rounds: int = 20  # perceptron: passes over the training images
    seed: int | None = None  # none: train.seed, which a member may have of its own

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("trees", "rounds"), between(1, 10_000))
        others = {
            "depth": between(1, 1000),
            "leaf": between(1, 1_000_000_000),
            "rate": above_zero(1),
            "strength": Range(1e-6, 1e6, "Give 0.000001 to 1,000,000."),
        }
        named = {} if self.seed is None else {"seed": SEED}
        check_ranges(self, counts | others | named)
