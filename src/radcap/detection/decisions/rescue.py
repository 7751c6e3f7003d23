"""Labels added where an image was given fewer than it has at least, by a count that a network made.

The bound is split-conformal: of n held-out images the margin is the ceil((n + 1) coverage)-th smallest of
predicted - true count, and an image has predicted - margin labels at least, rounded up since labels are
whole. For images that are like the held-out ones, in any order, that holds for `coverage` of them or more.
(Archimedes 2026.)

Invariant: a label that was decided stays decided; too few held-out images for the coverage rescue nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.errors import InputError, UsageError
from radcap.detection.calibration.arrays import numbered
from radcap.detection.calibration.fields import Fields
from radcap.detection.decisions.rescue_config import Rescue

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.detection.calibration.arrays import Bools, Floats, Ints

__all__ = ["CountRescue", "cross_rescue", "fit_rescue", "rescue_from_json"]

_MOST = 1e6  # labels: no image has so many
_ROUNDING = 1e-6  # of labels: so much above a whole number is still that number


@dataclass(frozen=True, slots=True)
class CountRescue:
    """A fitted margin; infinity where there were too few images to fit one."""

    config: Rescue
    margin: float

    def least(self, counts: NDArray[Any]) -> Ints:
        """How many labels each image has at least."""
        bound = np.ceil(counts.astype(np.float64) - self.margin - _ROUNDING)
        return np.fmin(np.fmax(bound, 0), _MOST).astype(np.int64)  # no number: nothing is known

    def __call__(self, decided: Bools, scores: NDArray[Any], counts: NDArray[Any]) -> Bools:
        """Decisions with the likeliest others, by `scores`, where there are fewer than the image has."""
        result, lacking = decided.copy(), self.least(counts) - np.count_nonzero(decided, axis=1)
        rows = np.flatnonzero(lacking > 0)
        last = np.where(decided[rows], np.inf, -scores[rows].astype(np.float64))
        order = np.argsort(last, axis=1, kind="stable")  # the likeliest first, those decided at the end
        enough = numbered(order.shape[1]) < lacking[rows, None]
        places, ranks = np.nonzero(enough)
        result[rows[places], order[places, ranks]] = True
        return result

    def to_json(self) -> dict[str, Any]:
        """Plain numbers; `rescue_from_json` reads them."""
        margin = self.margin if isfinite(self.margin) else None
        return {"coverage": self.config.coverage, "margin": margin}


def fit_rescue(config: Rescue, counts: NDArray[Any], truth: Bools) -> CountRescue:
    """The margin, from counts of held-out images and what is true of them."""
    excess = np.sort(_excess(counts, truth))
    place = ceil(round((len(excess) + 1) * config.coverage, 9))  # 10 x 0.9 is 9, not a little more
    return CountRescue(config, float(excess[place - 1]) if place <= len(excess) else inf)


def cross_rescue(
    config: Rescue,
    decided: Bools,
    scores: NDArray[Any],
    counts: NDArray[Any],
    truth: Bools,
    folds: Ints,
) -> Bools:
    """Decisions in which every image was rescued by a margin that saw no image of its fold."""
    result = decided.copy()
    for one in np.unique(folds).tolist():
        inside = folds == one
        rescue = fit_rescue(config, counts[~inside], truth[~inside])
        result[inside] = rescue(decided[inside], scores[inside], counts[inside])
    return result


def rescue_from_json(value: object) -> CountRescue:
    """The rescue; anything malformed is refused by an InputError that says all that is wrong."""
    given = Fields(value, "rescue")
    coverage, margin = given.number("coverage", 0, 1), given.take("margin")
    if margin is not None and not _is_number(margin):
        given.refuse("margin", margin, "a number, or null for none")
    given.close()
    try:
        return CountRescue(Rescue(coverage), inf if margin is None else float(margin))
    except UsageError as wrong:
        raise InputError(str(wrong)) from wrong


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _excess(counts: NDArray[Any], truth: Bools) -> Floats:
    """By how much each count is too high."""
    if counts.shape != (len(truth),) or not np.isfinite(counts).all():
        raise UsageError(
            f"Counts of shape {counts.shape} came for {len(truth):,} images."
            " Give each image one finite number."
        )
    return counts.astype(np.float64) - np.count_nonzero(truth, axis=1)
