"""Concepts that were decided for although the caption denies them.

Invariant: a concept that a caption both denies and affirms (of another side, say) is not denied.
>>> sorted(denied_in("Chest radiograph without pleural effusion."))
['C0032227']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radcap.core import Cui

__all__ = ["denied_in"]


def denied_in(caption: str) -> frozenset[Cui]:
    """The concepts that the words of a caption deny."""
    from radcap.vocabulary import link  # Arrow comes with it

    mentions = link(caption)
    affirmed = {one.cui for one in mentions if not one.negated}
    return frozenset(one.cui for one in mentions if one.negated) - affirmed
