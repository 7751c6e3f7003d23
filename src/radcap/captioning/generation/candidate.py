"""A caption that was written, before it is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from radcap.core import UsageError

__all__ = ["Candidate", "no_number"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Its tokens without marks, the sum of their log probabilities (the end counts), and its rank's score."""

    tokens: tuple[int, ...]
    log_probability: float
    score: float


def no_number() -> UsageError:
    """The refusal of a decoder whose captions have no probability."""
    return UsageError(
        "The decoder gave logits that are no numbers. Its weights or the memory it looks at are broken. "
        "Take the weights of an earlier epoch, or write in single precision."
    )
