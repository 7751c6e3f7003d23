"""How neighbours are found and what they say.

Invariant: `approximate = False` is exact: the engine changes the time, never the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from radcap.core import UsageError
from radcap.vision.ranges import above_zero, between

__all__ = ["Engine", "Metric", "Retrieval"]

Metric: TypeAlias = Literal["cosine", "euclid"]
Engine: TypeAlias = Literal["auto", "exact", "faiss"]
_TEMPERATURE = between(0.0001, 10_000)
_VOTES = above_zero(1_000_000_000)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The table `[retrieval]` of a system file."""

    rule: str = "mean-at-k"
    k: int = 10
    metric: Metric = "cosine"
    share: float = 0.3  # of `frequency`: how many of the neighbours must have the label
    temperature: float = 0.05  # of `probabilistic`: how fast a vote fades with the score
    smoothing: float = 1.0  # of `probabilistic`: the weight of the prior, in votes of the nearest neighbour
    threshold: float = 0.98  # of `duplicate-answer`: the score from which two pictures are one
    engine: Engine = "auto"
    approximate: bool = False

    def __post_init__(self) -> None:
        wrong = [
            f"{name} is {value}: give {wanted}"
            for name, value, wanted, fine in (
                ("k", self.k, "1 or more", self.k >= 1),
                ("share", self.share, "more than 0, at most 1", 0 < self.share <= 1),
                ("temperature", self.temperature, "0.0001 to 10,000", self.temperature in _TEMPERATURE),
                ("smoothing", self.smoothing, "more than 0, at most 1,000,000,000", self.smoothing in _VOTES),
            )
            if not fine
        ]
        if wrong:
            raise UsageError(f"The retrieval cannot work. {'; '.join(wrong)}.")
