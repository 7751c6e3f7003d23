"""The indefinite article of a phrase.

Invariant: a phrase gets "a" or "an" only if the noun at its head is known to be counted and is singular.
>>> with_article("renal cyst of the left kidney"), with_article("pneumonia"), with_article("MR image")
('a renal cyst of the left kidney', 'pneumonia', 'an MR image')
"""

from __future__ import annotations

import re
from itertools import takewhile

from radcap.captioning.grammar.wording import words

__all__ = ["article", "with_article"]

_LETTERS = frozenset("AEFHILMNORSX")  # those whose names start with a vowel
_VOWELS = "aeiou"
_SPELT = re.compile(r"[A-Z]{2,}s?\b|[A-Z][-\d]")  # CT, T2, L1, X-ray
_EIGHTY = re.compile(r"(?:8|11|18)")


def with_article(phrase: str) -> str:
    """The phrase after its article, or alone where it needs none."""
    if not phrase or not _is_counted(phrase):
        return phrase
    return f"{article(phrase)} {phrase}"


def _is_counted(phrase: str) -> bool:
    known = words().articles
    parts = phrase.split()
    if parts[0].lower() in known.bare:
        return False
    head = _head(parts)
    if head in known.counted:
        return True
    return head.endswith(known.counted_endings) and not head.endswith(known.uncounted_endings)


def _head(parts: list[str]) -> str:
    """The last word before the first that only tells more of it."""
    after = words().articles.after
    last = ""
    for part in takewhile(lambda one: one.lower() not in after and not one.startswith("("), parts):
        last = part.rstrip(",;:")
        if last != part:
            break
    return last


def article(phrase: str) -> str:
    """ "a" or "an", as the sound of the first word asks.

    >>> article("uterine fibroid"), article("optic glioma"), article("X-ray"), article("CT")
    ('a', 'an', 'an', 'a')
    """
    known = words().articles
    first = phrase.split(maxsplit=1)[0]
    if _SPELT.match(first) and first not in known.spoken:
        return "an" if first[0] in _LETTERS else "a"
    low = first.lower()
    if low.startswith(known.vowel_sound) or _EIGHTY.match(low):
        return "an"
    return "an" if low[0] in _VOWELS and not low.startswith(known.consonant_sound) else "a"
