"""What BLEU makes of an order of n-grams without a match: the version of NLTK decided it.

One word list for every image scores 0.49 under one rule and 0 under the next.
"""

from __future__ import annotations

from enum import StrEnum

from radcap.core import unknown_name

__all__ = ["BleuRule"]


class BleuRule(StrEnum):
    """The rules of three ages of NLTK."""

    DIVIDING = "dividing"  # to 3.2.1: left out; a caption of fewer than four tokens has no score
    TRUNCATING = "truncating"  # 3.2.2 to 3.2.5: left out
    VANISHING = "vanishing"  # from 3.3: the smallest float, so the score is practically 0

    @classmethod
    def _missing_(cls, value: object) -> BleuRule:
        raise unknown_name("BLEU rule", str(value), cls)
