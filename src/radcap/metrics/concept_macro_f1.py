"""The mean of each concept's own F1: rare concepts weigh as much as frequent ones.

Invariant: the mean runs over every concept that the truth or the run names, in the order of the CUIs;
a concept only one of them names scores 0. Equals scikit-learn's macro average over those labels.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from radcap.core import mean_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.metrics.concept_sets import SetPair

__all__ = ["macro_f1"]


def macro_f1(pairs: Sequence[SetPair]) -> float:
    """The mean of the F1 of every concept that run or truth name."""
    hits = Counter(cui for pair in pairs for cui in pair.predicted & pair.truth)
    named = Counter(cui for pair in pairs for cuis in (pair.predicted, pair.truth) for cui in cuis)
    if not named:
        return 0.0
    return mean_in_order(2 * hits[cui] / named[cui] for cui in sorted(named))
