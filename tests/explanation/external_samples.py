"""What tests of external explainers share: a provider that repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from radcap.explanation.external import FoundBox

__all__ = ["Told"]


@dataclass(frozen=True)
class Told:
    """A provider whose boxes are given, for the phrases that are asked for."""

    found: tuple[FoundBox, ...] = ()
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def boxes(self, picture: NDArray[np.uint8], phrases: Sequence[str]) -> list[FoundBox]:
        self.asked.append(tuple(phrases))
        return [one for one in self.found if one.phrase in phrases]
