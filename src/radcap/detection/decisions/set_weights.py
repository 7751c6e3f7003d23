"""How likely each stored label set is for an image, and what that says of its labels.

Invariant: the weights of an image add to 1, or are all 0 where no set is left for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import numbered, sums_at

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Floats, Ints, Numbers
    from radcap.detection.decisions.likeliest import Likeliest
    from radcap.detection.decisions.set_store import SetStore

__all__ = ["heaviest", "joint_law"]

_NOTHING = 1e-12  # a weight that changes no answer


def heaviest(
    store: SetStore, probabilities: Numbers, powers: tuple[float, float], most: int, own: Ints | None = None
) -> tuple[Ints, Floats]:
    """The likeliest sets of each row and their weights, count^a * likelihood^b: (rows, most) each."""
    count_power, fit_power = powers
    logs = count_power * np.log(store.counts) + fit_power * store.fits(probabilities)
    if own is not None:
        rows, left = np.arange(len(own)), store.counts[own] - 1
        known = np.log(np.maximum(left, 1)) - np.log(store.counts[own])
        logs[rows, own] = np.where(left > 0, logs[rows, own] + count_power * known, -np.inf)
    sets = int(logs.shape[1])
    places = np.broadcast_to(numbered(sets), logs.shape)
    if sets > most:
        places = np.argpartition(logs, sets - most, axis=1)[:, sets - most :]
        logs = np.take_along_axis(logs, places, axis=1)
    highest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(highest), highest, 0.0))
    return places, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)


def joint_law(store: SetStore, places: Ints, weights: Floats, top: Likeliest) -> tuple[Floats, Floats]:
    """q[row, candidate, s - 1] = P(candidate is there, s labels are there), and P(no label)."""
    rows, candidates = top.columns.shape
    sizes = store.sizes[places]
    none = np.sum(weights * (sizes == 0), axis=1)
    row, _ = some = np.nonzero((weights > _NOTHING) & (sizes > 0))
    chosen, size = places[some], sizes[some]
    owner = np.repeat(np.arange(len(chosen)), size)  # one entry for each label of each set
    inside = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    columns = store.columns[store.starts[chosen][owner] + inside]
    rank = np.full((rows, top.labels), candidates, dtype=np.int64)  # of each label among the candidates
    np.put_along_axis(rank, top.columns, numbered(candidates)[None], axis=1)
    place = rank[row[owner], columns]
    kept = place < candidates
    largest = int(store.sizes.max(initial=1))
    cell = (row[owner] * candidates + place) * largest + size[owner] - 1
    q = sums_at(cell[kept], weights[some][owner][kept], rows * candidates * largest)
    return q.reshape(rows, candidates, largest), none
