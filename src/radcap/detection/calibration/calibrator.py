"""Fitted calibrators: logits in, probabilities out.

Invariant: a column's probability rises with its logit in every method but `platt` with a negative slope, and
the result has the type of the logits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import checked_logits, in_row_chunks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.core.runs import Cui
    from radcap.detection.calibration.arrays import Floats, Ints, Numbers
    from radcap.detection.calibration.config import Calibration
    from radcap.detection.calibration.isotonic import Curve

__all__ = ["Calibrator", "Curves", "Lines"]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """sigmoid(slope * logit + offset), with two numbers for each label."""

    slopes: Floats
    offsets: Floats

    def apply(self, logits: Numbers) -> Numbers:
        bent = logits * self.slopes.astype(logits.dtype) + self.offsets.astype(logits.dtype)
        np.tanh(0.5 * bent, out=bent)
        return 0.5 + 0.5 * bent

    def to_json(self) -> dict[str, Any]:
        return {"slopes": self.slopes.tolist(), "offsets": self.offsets.tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Rising curves; a label takes a part `weights` of its own curve, and the rest from its group's."""

    curves: tuple[Curve, ...]
    own: Ints  # the place of each label's own curve, its group's where it has none
    group: Ints
    weights: Floats

    def apply(self, logits: Numbers) -> Numbers:
        result = np.empty_like(logits)
        for place, curve in enumerate(self.curves):
            columns = np.flatnonzero(self.group == place)
            result[:, columns] = curve(logits[:, columns])
        for column in np.flatnonzero(self.own != self.group).tolist():
            own, weight = self.curves[int(self.own[column])](logits[:, column]), float(self.weights[column])
            result[:, column] = weight * own + (1 - weight) * result[:, column]
        return result

    def to_json(self) -> dict[str, Any]:
        curves = [
            {"logits": one.logits.tolist(), "probabilities": one.probabilities.tolist()}
            for one in self.curves
        ]
        weights = self.weights.tolist()
        return {"curves": curves, "own": self.own.tolist(), "group": self.group.tolist(), "weights": weights}


@dataclass(frozen=True, slots=True, eq=False)
class Calibrator:
    """A calibration that was fitted, for these labels in this order."""

    config: Calibration
    labels: tuple[Cui, ...]
    fitted: Lines | Curves

    def __call__(self, logits: NDArray[Any]) -> Numbers:
        """Probabilities of the same shape and type."""
        given = checked_logits(logits, len(self.labels))
        result = np.empty_like(given)

        def work(chunk: slice) -> None:
            result[chunk] = self.fitted.apply(given[chunk])

        in_row_chunks(work, *given.shape)
        return result

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers, for a model's card; `calibrator_from_json` reads them."""
        config = self.config
        return {
            "method": config.method,
            "groups": config.groups,
            "shrinkage": config.shrinkage,
            "labels": list(self.labels),
            **self.fitted.to_json(),
        }
