"""Distinct label sets with their counts, and how well each fits an image.

Invariant: every set is there once. The fit of a set is the sum of the log-odds of its labels, which is its
log likelihood under independence up to a number that is the same for all sets of an image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers
    from radcap.detection.calibration.fields import Fields

__all__ = ["SetStore", "log_odds", "read_store", "store_of"]

_SURE = 1e-6  # no probability is nearer to 0 or 1 when its odds are taken


def log_odds(probabilities: Numbers) -> Floats:
    """The logarithm of the odds, finite for certainties too."""
    clipped = np.clip(probabilities.astype(np.float64), _SURE, 1 - _SURE)
    return np.log(clipped / (1 - clipped))


@dataclass(frozen=True, slots=True, eq=False)
class SetStore:
    """Sets as ranges of one array: set j holds `columns[starts[j] : starts[j] + sizes[j]]`."""

    columns: Ints
    sizes: Ints
    counts: Floats

    @property
    def starts(self) -> Ints:
        return np.cumsum(self.sizes) - self.sizes

    def fits(self, probabilities: Numbers) -> Floats:
        """(rows, labels) to (rows, sets)."""
        fits = np.zeros((len(self.sizes), len(probabilities)))
        some = np.flatnonzero(self.sizes)  # the empty set has the sum 0
        if len(some):
            gathered = log_odds(probabilities).T[self.columns]
            fits[some] = np.add.reduceat(gathered, self.starts[some], axis=0)
        return fits.T

    def to_json(self) -> dict[str, Any]:
        parts = np.split(self.columns, np.cumsum(self.sizes)[:-1])
        return {"sets": [part.tolist() for part in parts[: len(self.sizes)]], "counts": self.counts.tolist()}


def store_of(truth: Bools) -> tuple[SetStore, Ints]:
    """The distinct rows, and the place of each row's set."""
    packed = np.packbits(truth, axis=1)
    if not packed.size:
        packed = np.zeros((len(truth), 1), dtype=np.uint8)  # no labels: every set is empty
    _, first, place, counts = np.unique(
        packed, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    sets = truth[first]
    store = SetStore(np.nonzero(sets)[1], np.count_nonzero(sets, axis=1), counts.astype(np.float64))
    return store, place.ravel()


def read_store(fields: Fields, labels: int) -> SetStore:
    """From JSON; each set is a list of columns."""
    given = fields.objects("sets")
    for place, one in enumerate(given):
        if not _is_set(one, labels):
            fields.note(f"set {place} is no list of different columns below {labels}")
    sets: list[list[int]] = [one for one in given if _is_set(one, labels)]
    counts = fields.numbers("counts", len(given), 1)
    columns = np.array([column for one in sets for column in one], dtype=np.int64)
    return SetStore(columns, np.array([len(one) for one in sets], dtype=np.int64), counts)


def _is_set(value: object, labels: int) -> bool:
    if not isinstance(value, list):
        return False
    columns = cast("list[object]", value)
    inside = all(type(column) is int and 0 <= column < labels for column in columns)
    return inside and len(set(columns)) == len(columns)
