"""The mean of each concept's own F1: rare concepts weigh as much as frequent ones.

Invariant: the mean runs over every concept that the truth or the run names, in the order of the CUIs;
a concept only one of them names scores 0. Equals scikit-learn's macro average over those labels.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.metrics.concept_sets import SetPair

__all__ = ["macro_f1"]


def macro_f1(pairs: Iterable[SetPair]) -> float:
    hits: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for pair in pairs:
        hits.update(pair.predicted & pair.truth)
        named.update(pair.predicted)
        named.update(pair.truth)
    if not named:
        return 0.0
    return sum(2 * hits[cui] / named[cui] for cui in sorted(named)) / len(named)
