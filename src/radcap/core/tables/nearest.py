"""The known key or name that a person most likely meant.

Invariant: nothing is kept by hand. Initials count (`lr` and `learning_rate`), then the spelling.
>>> nearest("learning_rate", ["epochs", "lr"]), nearest("epoch", ["epochs", "lr"]), nearest("x", ["epochs"])
('lr', 'epochs', None)
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest"]

_LONGEST = 60  # letters that are compared; a file may hold a key of a million
_BREAKS = re.compile(r"[\W_]+")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """One of `known`, or none where no one is near."""
    given = name[:_LONGEST].casefold()
    choice = {one.casefold(): one for one in known}
    for one, spelt in choice.items():
        if _initials(given) == one or given == _initials(one):
            return spelt
    near = get_close_matches(given, choice, n=1, cutoff=0.5)
    return choice[near[0]] if near else None


def _initials(name: str) -> str | None:
    """The first letters of a name of several words."""
    words = [word for word in _BREAKS.split(name) if word]
    return "".join(word[0] for word in words) if len(words) > 1 else None
