"""Label randomisation (Adebayo 2018): a model trained on shuffled labels must have other maps.

Invariant: pairs are of the same image and statement; the same method made both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core.errors import UsageError
from radcap.explanation.faithfulness.similarity import rank_correlation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["LabelTest", "label_test"]


@dataclass(frozen=True, slots=True)
class LabelTest:
    """`likeness` is the mean rank correlation of so many `pairs` of maps."""

    likeness: float
    pairs: int
    most: float = 0.5  # likeness from which a method fails

    @property
    def passed(self) -> bool:
        return abs(self.likeness) < self.most

    def to_json(self) -> dict[str, Any]:
        return {
            "test": "label randomisation",
            "likeness": round(self.likeness, 4),
            "pairs": self.pairs,
            "most": self.most,
            "passed": self.passed,
        }


def label_test(maps: Sequence[NDArray[Any]], twins: Sequence[NDArray[Any]], most: float = 0.5) -> LabelTest:
    """The maps of a model against those of its twin that learned shuffled labels."""
    if len(maps) != len(twins) or not maps:
        raise UsageError(
            f"There are {len(maps)} maps of the model and {len(twins)} of its twin. Give one of each for"
            " every image and statement, at least one pair."
        )
    alike = [rank_correlation(one, other) for one, other in zip(maps, twins, strict=True)]
    return LabelTest(float(np.mean(alike)), len(alike), most)
