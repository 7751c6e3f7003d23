"""What was found and not kept, beside what was."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vocabulary.linking.mentions import Mention

__all__ = ["add_dropped"]


def add_dropped(
    mentions: list[list[Mention]], dropped: Sequence[Sequence[Mention]], why: str | None = None
) -> None:
    """Put dropped mentions into their texts, in the order of the text; the reason is what covers them."""
    for found, gone in zip(mentions, dropped, strict=True):
        kept = [one for one in found if one.kept]  # in the order of the text, and apart from each other
        ends = [one.end for one in kept]
        for one in gone:
            at = bisect_right(ends, one.start)
            reason = why or _covering(one, kept[at : at + 1])
            found.append(replace(one, kept=False, why=reason))
        found.sort(key=lambda one: (one.start, -one.end, not one.kept))


def _covering(one: Mention, following: Sequence[Mention]) -> str:
    """The reason a mention goes: the first kept one that ends behind its start, if they share a place."""
    for other in following:
        if other.start < one.end:
            return f"inside {other.text!r}"
    return "inside another mention"
