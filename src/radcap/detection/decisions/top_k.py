"""As many labels for every image: the k likeliest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.detection.calibration.arrays import in_row_chunks
from radcap.detection.decisions.likeliest import likeliest
from radcap.detection.decisions.rules import RuleMaker

if TYPE_CHECKING:
    from radcap.detection.calibration.arrays import Bools, Numbers
    from radcap.detection.calibration.fields import Fields
    from radcap.detection.decisions.config import Decision
    from radcap.detection.decisions.rules import Evidence

__all__ = ["RULE", "TopK"]


@dataclass(frozen=True, slots=True)
class TopK:
    """The k likeliest labels, all of them where there are fewer."""

    k: int

    def decide(self, probabilities: Numbers) -> Bools:
        result = np.zeros(probabilities.shape, dtype=np.bool_)

        def work(chunk: slice) -> None:
            found = likeliest(probabilities[chunk], self.k)
            result[chunk] = found.decided(np.ones(found.columns.shape, dtype=np.bool_))

        if self.k:
            in_row_chunks(work, *probabilities.shape)
        return result

    def to_json(self) -> dict[str, Any]:
        return {}


def _fit(evidence: Evidence) -> TopK:
    return TopK(evidence.config.k)


def _read(_: Fields, config: Decision, __: int) -> TopK:
    return TopK(config.k)


RULE = RuleMaker(_fit, _read)
