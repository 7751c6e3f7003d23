"""How many sign patterns a permutation test rests on, and how many it needs.

Invariant: the test and what is said about it follow the same rule.
>>> takes_all_patterns(13, 10_000), takes_all_patterns(14, 10_000)
(True, False)
"""

from __future__ import annotations

from math import floor

__all__ = ["draws_needed", "takes_all_patterns"]


def takes_all_patterns(images: int, permutations: int) -> bool:
    """Whether so few images have no more sign patterns than draws were asked for: 2**images of them."""
    return images < permutations.bit_length()


def draws_needed(pairs: int, alpha: float) -> int:
    """The fewest random draws with which one of so many pairs can be separable after Holm's correction.

    The smallest p is 1/(draws + 1), and Holm multiplies it by the pairs.
    >>> draws_needed(496, 0.05), draws_needed(528, 0.05)  # 32 and 33 runs
    (9920, 10560)
    """
    return floor(pairs / alpha)
