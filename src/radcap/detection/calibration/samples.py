"""What a calibrator learns from: distinct logits, how often each was seen, how often the label was there.

Invariant: logits ascend and no two are equal. A few hundred thousand cells are kept exactly; more are put
into bins of asinh(logit), so narrow (about 1e-3 of a logit) that no fit can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.calibration.arrays import row_chunks, sums_at

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Floats, Ints, Numbers

__all__ = ["Sample", "sample_of"]

_EXACT = 2**18  # cells


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Logits with counts."""

    logits: Floats
    seen: Floats
    positives: Floats

    @property
    def one_sided(self) -> bool:
        """Whether there is nothing to tell apart: no positive, no negative, or nothing at all."""
        found = self.positives.sum()
        return bool(found == 0 or found == self.seen.sum())


def sample_of(logits: Numbers, truth: Bools, columns: Ints, exact: int | None = None) -> Sample:
    """All cells of these columns as one sample; if there are more than `exact`, by a quarter as many bins."""
    most = _EXACT if exact is None else exact
    if len(logits) * len(columns) > most:
        return _binned(logits, truth, columns, most // 4)
    values, place = np.unique(logits[:, columns].astype(np.float64), return_inverse=True)
    hits = truth[:, columns].ravel().astype(np.float64)
    place = place.ravel()
    seen = np.bincount(place, minlength=len(values)).astype(np.float64)
    return Sample(values, seen, sums_at(place, hits, len(values)))


def _binned(logits: Numbers, truth: Bools, columns: Ints, bins: int) -> Sample:
    chunks = row_chunks(len(logits), len(columns))
    low = min(float(np.arcsinh(logits[chunk][:, columns].min())) for chunk in chunks)
    high = max(float(np.arcsinh(logits[chunk][:, columns].max())) for chunk in chunks)
    scale = (bins - 1) / max(high - low, 1e-9)
    sums = np.zeros((3, bins))
    for chunk in chunks:
        values, hits = logits[chunk][:, columns].ravel(), truth[chunk][:, columns].ravel()
        place = ((np.arcsinh(values) - low) * scale).astype(np.int64).clip(0, bins - 1)
        sums[0] += np.bincount(place, minlength=bins)
        sums[1] += np.bincount(place[hits], minlength=bins)
        sums[2] += np.bincount(place, weights=values, minlength=bins)
    seen, positives, total = sums[:, sums[0] > 0]
    return Sample(total / seen, seen, positives)
