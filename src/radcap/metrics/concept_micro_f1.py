"""F1 over all pairs of image and concept at once: frequent concepts weigh most.

Invariant: equals scikit-learn's micro average; nothing predicted and nothing true scores 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.metrics.concept_sets import SetPair

__all__ = ["micro_f1"]


def micro_f1(pairs: Iterable[SetPair]) -> float:
    """F1 of all decisions together."""
    hits = named = 0
    for pair in pairs:
        hits += len(pair.predicted & pair.truth)
        named += len(pair.predicted) + len(pair.truth)
    return 2 * hits / named if named else 0.0
