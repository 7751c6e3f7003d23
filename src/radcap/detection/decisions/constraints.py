"""What holds whatever the rule decides: exactly one modality, never nothing.

Invariant: a constraint changes only the rows and columns it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Ints, Numbers

__all__ = ["exactly_one", "never_empty"]


def exactly_one(decided: Bools, probabilities: Numbers, columns: Ints) -> Bools:
    """Of these columns the likeliest alone."""
    if not len(columns):
        return decided
    result = decided.copy()
    result[:, columns] = False
    best = columns[np.argmax(probabilities[:, columns], axis=1)]
    result[np.arange(len(result)), best] = True
    return result


def never_empty(decided: Bools, probabilities: Numbers) -> Bools:
    """The likeliest label where nothing was decided."""
    if not decided.shape[1]:
        return decided
    result = decided.copy()
    empty = np.flatnonzero(~decided.any(axis=1))
    result[empty, np.argmax(probabilities[empty], axis=1)] = True
    return result
