"""The likeliest labels of each image, and how many labels are expected beyond them.

Invariant: they come from the likeliest down, equal ones in the order of their columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers

__all__ = ["Likeliest", "likeliest"]


@dataclass(frozen=True, slots=True, eq=False)
class Likeliest:
    """Of some images: columns and probabilities (images, m), and the expected number of other labels."""

    columns: Ints
    probabilities: Floats
    beyond: Floats
    labels: int

    def decided(self, chosen: Bools) -> Bools:
        """Choices among the candidates as choices among all labels."""
        result = np.zeros((len(chosen), self.labels), dtype=np.bool_)
        np.put_along_axis(result, self.columns, chosen, axis=1)
        return result


def likeliest(probabilities: Numbers, most: int) -> Likeliest:
    """The candidates of each row."""
    labels = int(probabilities.shape[1])
    if labels > most:
        columns = np.sort(np.argpartition(probabilities, labels - most, axis=1)[:, labels - most :], axis=1)
        values = np.take_along_axis(probabilities, columns, axis=1).astype(np.float64)
        beyond = np.maximum(probabilities.sum(axis=1, dtype=np.float64) - values.sum(axis=1), 0.0)
    else:
        columns = np.broadcast_to(numbered(labels), probabilities.shape)
        values, beyond = probabilities.astype(np.float64), np.zeros(len(probabilities))
    order = np.argsort(-values, axis=1, kind="stable")
    return Likeliest(
        np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1), beyond, labels
    )
