"""From the side and level words of a phrase to the part of the picture that they name.

Invariant: the picture is taken as radiologists hang it, the patient facing the viewer, so the patient's left
is on the right of the picture; front is up, as in axial slices. A phrase without such words names no place.
These are rough places of our own, not findings: in a side view the words left and right mean nothing.
>>> places("in the left lung")
(Box(left=0.5, top=0.0, width=0.5, height=1.0, share=0.0),)
"""

from __future__ import annotations

import re

from radcap.explanation.values import Box

__all__ = ["names_arrow", "place_words", "places"]

_FULL = (0.0, 1.0)
_ACROSS: dict[str, tuple[tuple[float, float], ...]] = {
    "left": ((0.5, 1.0),),
    "right": ((0.0, 0.5),),
    "both": ((0.0, 0.5), (0.5, 1.0)),
    "central": ((0.25, 0.75),),
}
_DOWN: dict[str, tuple[float, float]] = {
    "upper": (0.0, 0.45),
    "middle": (0.3, 0.7),
    "lower": (0.55, 1.0),
    "anterior": (0.0, 0.5),
    "posterior": (0.5, 1.0),
}
_WORDS = {
    "left": ("left", "left-sided", "lt"),
    "right": ("right", "right-sided", "rt"),
    "both": ("bilateral", "bilaterally", "both", "bibasal", "bibasilar", "biapical"),
    "central": ("central", "centrally", "hilar", "perihilar", "midline", "medial", "mediastinal"),
    "upper": ("upper", "superior", "apical", "apex", "apices", "top", "biapical", "suprahilar"),
    "middle": ("middle", "mid", "midzone", "lingular"),
    "lower": ("lower", "inferior", "basal", "base", "bases", "basilar", "bibasal", "bibasilar", "bottom"),
    "anterior": ("anterior", "anteriorly", "ventral", "frontal", "retrosternal"),
    "posterior": ("posterior", "posteriorly", "dorsal", "occipital", "retrocardiac"),
}
_KINDS = {
    word: tuple(kind for kind, others in _WORDS.items() if word in others)
    for words in _WORDS.values()
    for word in words
}
_WORD = re.compile(r"[a-z]+(?:-sided)?")
_ARROW = re.compile(r"\b(?:arrows?|arrowheads?)\b", re.IGNORECASE)


def places(phrase: str) -> tuple[Box, ...]:
    """The parts of the picture that a phrase names; two of them for both sides, none without such words."""
    kinds = {kind for word in place_words(phrase) for kind in _KINDS[word]}
    if not kinds:
        return ()
    top, bottom = _down(kinds)
    return tuple(Box(left, top, right - left, bottom - top, 0.0) for left, right in _across(kinds))


def place_words(text: str) -> tuple[str, ...]:
    """The words of a text that name a side or a level."""
    return tuple(word for word in _WORD.findall(text.casefold()) if word in _KINDS)


def names_arrow(text: str) -> bool:
    """Whether a text speaks of a drawn arrow."""
    return _ARROW.search(text) is not None


def _across(kinds: set[str]) -> tuple[tuple[float, float], ...]:
    """Both sides where both are named; the middle of a side where that is named too."""
    sides = {"left", "right"} & kinds
    if "both" in kinds or len(sides) > 1:
        spans = _ACROSS["both"]
    else:
        spans = _ACROSS[sides.pop()] if sides else (_FULL,)
    if "central" not in kinds:
        return spans
    ((low, high),) = _ACROSS["central"]
    return tuple((max(one, low), min(other, high)) for one, other in spans)


def _down(kinds: set[str]) -> tuple[float, float]:
    """From the highest level that is named to the lowest; front and back only where no level is."""
    levels = [_DOWN[one] for one in ("upper", "middle", "lower") if one in kinds]
    levels = levels or [_DOWN[one] for one in ("anterior", "posterior") if one in kinds] or [_FULL]
    return min(top for top, _ in levels), max(bottom for _, bottom in levels)
