"""The drafts of images in the order that a reranker gives them.

Invariant: drafts without a word come last, and are shown to no reranker; of those that are as good, the first
stays first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models.answers import Draft
    from radcap.captioning.models.eyes import Sight
    from radcap.captioning.reranking import Reranker

__all__ = ["reranked"]

_DIGITS = 6  # to which drafts are as good: the rest is the order of a sum


def reranked(drafts: Sequence[Sequence[Draft]], reranker: Reranker, sight: Sight | None) -> list[list[Draft]]:
    """Best first, with the reranker's scores; `sight` is of the same images."""
    said = [[one for one in some if one.text.strip()] for some in drafts]
    scores = reranker.scores([[one.text for one in some] for some in said], sight)
    return [_ordered(*three) for three in zip(drafts, said, scores, strict=True)]


def _ordered(drafts: Sequence[Draft], said: Sequence[Draft], scores: Sequence[float]) -> list[Draft]:
    scored = [replace(one, score=score) for one, score in zip(said, scores, strict=True)]
    least = min(scores, default=0.0)
    silent = [replace(one, score=least) for one in drafts if not one.text.strip()]
    return sorted(scored, key=lambda one: -round(one.score, _DIGITS)) + silent
