"""The arrays of an ensemble and the shape of a rule.

Invariant: the first axis is the member, then the image, then the label; scores are logits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.detection.ensembles.config import Ensemble

__all__ = ["ABSENT", "Decided", "EnsembleRule", "Logits", "Names", "Over", "Values"]

Logits: TypeAlias = NDArray[np.float32]
Decided: TypeAlias = NDArray[np.bool_]
Values: TypeAlias = NDArray[Any]  # logits or decisions
Names: TypeAlias = tuple[str, ...]
Over: TypeAlias = Literal["scores", "decisions"]

ABSENT = -16.0  # the logit of a label that a member does not know: a probability of 1e-7


@dataclass(frozen=True, slots=True)
class EnsembleRule:
    """What a rule is over, and how it makes one array of (member, image, label)."""

    over: Over
    combine: Callable[[Values, Ensemble, Names], Values]
