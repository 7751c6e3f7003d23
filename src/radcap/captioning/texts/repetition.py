"""Words and clauses that are said twice in a row, said once.

Invariant: only words are taken away, and a second time takes none. A repetition across the end of a sentence
counts only where a whole sentence is repeated: 'a mass of the liver. Liver ...' stays.
>>> without_repeats("CT of the the chest, of the chest.")
'CT of the chest.'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["without_repeats"]

_LONGEST = 40  # words of a clause
_EDGES = ".,;:!?\"'"  # brackets belong to a word: one that is taken away must not leave the other alone
_END = re.compile(r"[.!?;:]\W*$")
_SPOKEN = re.compile(r"[^\W\d_]{2}")  # numbers and single letters may follow themselves


def without_repeats(text: str) -> str:
    """The text with each repetition once, and the punctuation of the last time; blanks part words."""
    words = text.split(" ")
    keys = [word.strip(_EDGES).casefold() or word for word in words]
    place = 0
    while place < len(words):
        n = _repeated(words, keys, place)
        if n:
            words[place + n - 1] = words[place + 2 * n - 1]
            del words[place + n : place + 2 * n], keys[place + n : place + 2 * n]
            place = max(0, place - 2 * _LONGEST)  # what stands before may now be followed by itself
        else:
            place += 1
    return " ".join(words)


def _repeated(words: Sequence[str], keys: Sequence[str], place: int) -> int:
    """How many words from here on stand there twice; 0 for none."""
    longest = min(_LONGEST, (len(keys) - place) // 2)
    for n in (n for n in range(longest, 0, -1) if keys[place] == keys[place + n]):
        block = keys[place : place + n]
        if block != keys[place + n : place + 2 * n] or not any(map(_SPOKEN.search, block)):
            continue
        if not _END.search(words[place + n - 1]) or place == 0 or _END.search(words[place - 1]):
            return n
    return 0
