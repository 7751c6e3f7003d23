"""Words of others, marked as theirs.

Invariant: whatever the words hold, a quotation begins and ends with its own marks and has none inside.
>>> quoted('a "mass"')
'\u201ca "mass"\u201d'
"""

from __future__ import annotations

import re

__all__ = ["listed", "quoted"]

_OPEN, _CLOSE = "\u201c", "\u201d"
_MARKS = re.compile(f"[{_OPEN}{_CLOSE}]")


def quoted(words: str) -> str:
    """The words in one line, in quotation marks."""
    return f"{_OPEN}{' '.join(_MARKS.sub(chr(34), words).split())}{_CLOSE}"


def listed(parts: list[str]) -> str:
    """
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
