"""Names and counts as charts and sentences have them.

Invariant: of a name that is cut, start and end stay: runs of one team often differ in the last letters only.
>>> shortened("team_captions_beam_search_with_five_beams_run_17", 22)
'team_caption\u2026s_run_17'
"""

from __future__ import annotations

from itertools import accumulate
from unicodedata import east_asian_width

from radcap.core.counts import counted
from radcap.core.signs import visible

__all__ = ["counted", "several", "shortened"]

_ELLIPSIS = "\u2026"
_NARROW = frozenset("ijlftrI.,:;|!'()[]-/ ")
_BROAD = frozenset("mwMW@%<>=+~#")


def shortened(name: str, room: float) -> str:
    """The name, or its start and end around an ellipsis; `room` is counted in letters of usual width."""
    name = visible(name)
    if _width(name) <= room:
        return name
    head = _fitting(name, room * 0.55)
    tail = _fitting(name[::-1], room * 0.45 - 1)[::-1]
    return f"{head}{_ELLIPSIS}{tail}"


def _fitting(text: str, room: float) -> str:
    """The longest start of the text that fits."""
    return text[: sum(used <= room for used in accumulate(map(_char_width, text)))]


def _width(text: str) -> float:
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if east_asian_width(char) in "WF":
        return 2.0
    if char in _NARROW:
        return 0.6
    return 1.6 if char in _BROAD else 1.2 if char.isupper() else 1.0


def several(names: list[str], most: int = 3) -> str:
    """Names as a sentence has them.

    >>> several(["a", "b", "c"]), several(["a", "b", "c", "d", "e"])
    ('a, b and c', 'a, b, c and 2 more')
    """
    shown = names if len(names) <= most + 1 else [*names[:most], f"{len(names) - most} more"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
