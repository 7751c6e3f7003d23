"""Of many boxes those that count: the strongest of each phrase."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from radcap.explanation.external.provider import FoundBox

__all__ = ["strongest"]


def strongest(boxes: Iterable[FoundBox], threshold: float, most: int) -> list[FoundBox]:
    """Up to `most` boxes of each phrase, from the threshold on, by phrase and then by score."""
    order = sorted(boxes, key=lambda one: (one.phrase, -one.score))
    kept = (one for one in order if one.score >= threshold and one.score > 0)
    return [one for _, group in groupby(kept, key=lambda one: one.phrase) for one in list(group)[:most]]
