"""The general F-measure maximiser: the set with the highest expected F1 under any law of label sets.

Invariant: exact (Dembczynski et al. 2011). With q[i, s - 1] = P(label i is there, s labels are there), the
gain of label i in a set of k is the sum over s of 2 q / (s + k); the best set of k has the k largest gains.
>>> sets = np.array([[True, True, False], [True, False, True]])
>>> gfm_of_sets(sets, np.array([0.5, 0.5])).labels.tolist()
[True, True, True]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core.errors import UsageError
from radcap.detection.calibration.arrays import numbered

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats

__all__ = ["Answer", "best_sets", "gains_of", "gfm", "gfm_of_sets"]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The best set and its expected F1."""

    labels: Bools
    value: float


def gfm(q: Floats, p_empty: float) -> Answer:
    """The answer for one image. `q` is (labels, sizes); `p_empty` is 0 where an empty set never scores."""
    if q.ndim != 2 or not np.all(q >= 0):  # noqa: PLR2004 - so written, NaN fails too
        raise UsageError("q holds P(label is there, so many are there): give labels x sizes, none negative.")
    chosen, values = best_sets(gains_of(q[None], len(q)), np.array([p_empty]))
    return Answer(chosen[0], float(values[0]))


def gfm_of_sets(sets: Bools, weights: Floats, *, empty_scores: bool = True) -> Answer:
    """The answer for label sets (sets x labels) with a weight each; weights need not add to 1."""
    total = float(weights.sum())
    if weights.shape != sets.shape[:1] or not np.all(weights >= 0) or total <= 0:
        raise UsageError("Give each set a weight, none negative and at least one above 0.")
    shares, sizes = weights / total, sets.sum(axis=1)
    of_size = sizes[:, None] == numbered(sets.shape[1]) + 1
    q = sets.T.astype(np.float64) @ (shares[:, None] * of_size)
    return gfm(q, float(shares[sizes == 0].sum()) if empty_scores else 0.0)


def gains_of(q: Floats, most: int) -> Floats:
    """Gains for answers of 1 ... `most` labels: (rows, labels, sizes) to (rows, labels, most)."""
    sizes, answers = numbered(q.shape[2])[:, None] + 1, numbered(most) + 1
    return q @ (2.0 / (sizes + answers))


def best_sets(gains: Floats, empty: Floats) -> tuple[Bools, Floats]:
    """The best set of each row and its expected F1; `empty` is what deciding nothing is worth."""
    rows, labels, most = gains.shape
    by_size = np.ascontiguousarray(np.moveaxis(gains, 2, 1))  # (rows, most, labels)
    ordered = -np.sort(-by_size, axis=2)
    inside = numbered(labels) <= numbered(most)[:, None]
    values = np.concatenate([empty[:, None], np.einsum("rkl,kl->rk", ordered, inside)], axis=1)
    size = np.argmax(values, axis=1)
    chosen = np.zeros((rows, labels), dtype=np.bool_)
    some = np.flatnonzero(size)
    order = np.argsort(-by_size[some, size[some] - 1], axis=1, kind="stable")
    picked = np.zeros((len(some), labels), dtype=np.bool_)
    np.put_along_axis(picked, order, numbered(labels) < size[some, None], axis=1)
    chosen[some] = picked
    return chosen, np.take_along_axis(values, size[:, None], axis=1)[:, 0]
