"""Trees that answer: single ones and forests by probabilities, boosted ones by log-odds.

Invariant: what single trees and forests say is drawn a little towards how likely the label is anyway, since a
leaf of few images that agree is never quite sure; their order stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.detection.learners.grove import Grove

if TYPE_CHECKING:
    from radcap.detection.learners.learner import Arrays, Floats

__all__ = ["BOOSTED", "TreeLearner"]

BOOSTED = "boosted"
_PRIOR = 0.05  # the weight of how likely a label is anyway
_WHOLE = ("features", "left", "rows", "roots")


@dataclass(frozen=True, slots=True, eq=False)
class TreeLearner:
    """A grove over vectors of a width; offsets are the log-odds of labels where nothing is known."""

    kind: str
    grove: Grove
    width: int
    offsets: Floats

    def logits(self, vectors: Floats) -> Floats:
        total = self.grove.total(vectors)
        if self.kind == BOOSTED:
            return total + self.offsets
        prior = 1 / (1 + np.exp(-self.offsets.astype(np.float64)))
        likely = (1 - _PRIOR) * np.clip(total, 0, 1) + _PRIOR * prior
        return np.log(likely / (1 - likely)).astype(np.float32)

    def arrays(self) -> Arrays:
        grove = self.grove
        whole = {name: getattr(grove, name).astype(np.int32) for name in _WHOLE}
        parts = {"thresholds": grove.thresholds, "values": grove.values, "offsets": self.offsets}
        return {**whole, **parts, "width": np.array([self.width], np.int32)}

    @classmethod
    def of_arrays(cls, kind: str, arrays: Arrays) -> TreeLearner:
        whole = {name: arrays[name].astype(np.int64) for name in _WHOLE}
        offsets = arrays["offsets"]
        grove = Grove(**whole, thresholds=arrays["thresholds"], values=arrays["values"], labels=len(offsets))
        return cls(kind, grove, int(arrays["width"][0]), offsets)
