"""A long caption, ended early: at a sentence, at a clause, or where it must.

Invariant: what is left is the beginning of the text, with at most so many words and at least half as many.
>>> cut_to_words("CT of the chest. There is a mass, and an effusion.", 8)
'CT of the chest.'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cut_to_words"]

_SENTENCE = re.compile(r"[.!?][\"')\]]*$")
_CLAUSE = re.compile(r"[,;:]$")
_SHORT_FORMS = re.compile(
    r"\W*(?:figs?|e\.g|i\.e|vs|nos?|dr|prof|approx|al|cf|ca|resp|st|[a-z])\.", re.IGNORECASE
)


def cut_to_words(text: str, most: int) -> str:
    """The text up to `most` words; blanks part them."""
    words = text.split(" ")
    if len(words) <= most:
        return text
    places = range(most, (most - 1) // 2, -1)
    sentence = next((n for n in places if _ends_sentence(words, n)), None)
    if sentence is not None:
        return " ".join(words[:sentence])
    clause = next((n for n in places if _CLAUSE.search(words[n - 1])), most)
    return " ".join(words[:clause]).rstrip(",;: ")


def _ends_sentence(words: Sequence[str], n: int) -> bool:
    """Whether a sentence ends with the n-th word: not with 'Fig.', and not before a small letter."""
    word, after = words[n - 1], words[n]
    return bool(_SENTENCE.search(word)) and not _SHORT_FORMS.fullmatch(word) and not after[:1].islower()
