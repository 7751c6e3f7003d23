"""What `[rescue]` of a system file may say: labels added where an image was given too few."""

from __future__ import annotations

from dataclasses import dataclass

from radcap.core import UsageError

__all__ = ["Rescue"]


@dataclass(frozen=True, slots=True)
class Rescue:
    """As Archimedes 2026: a head that counts says how many labels an image has at least, with a conformal
    margin so that it is right for `coverage` of the held-out images; the likeliest labels fill up to that."""

    coverage: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.coverage < 1:
            raise UsageError(f"coverage is {self.coverage}. Give a number between 0 and 1.")
