"""Words for where a box lies.

Invariant: left and right are those of the picture: which side of the patient that is, nobody told.
>>> place_of(Box(0.05, 0.6, 0.2, 0.3, 0.64))
'the lower left part of the picture'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.explanation.values import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["place_of", "where"]

_MOST = 0.6  # of the picture: a box as large as this has no side
_THIRD = 1 / 3
_SHOWN = 2  # boxes that are told


def place_of(box: Box) -> str:
    """The part of the picture that a box is in the middle of."""
    if box.width * box.height >= _MOST:
        return "most of the picture"
    across = _side(box.left + box.width / 2, "left", "right")
    down = _side(box.top + box.height / 2, "upper", "lower")
    return f"the {' '.join(filter(None, (down, across))) or 'central'} part of the picture"


def where(boxes: Sequence[Box]) -> str:
    """The boxes with most of the relevance, as words: nothing without a box."""
    ordered = sorted(boxes, key=lambda box: -box.share)
    told = [f"{place_of(box)} ({_share(box)} of the relevance in one box)" for box in ordered[:_SHOWN]]
    more = len(ordered) - len(told)
    return " and ".join(told) + (f" and {more} more" if more else "")


def _side(middle: float, low: str, high: str) -> str:
    if middle < _THIRD:
        return low
    return high if middle > 1 - _THIRD else ""


def _share(box: Box) -> str:
    return f"{box.share:.0%}".replace("%", " %")
