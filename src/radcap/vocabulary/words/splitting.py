"""Text as words and what stands between them.

Invariant: words and gaps put together again are the text, sign for sign, so every place is a place of the
text.
>>> split("Chest X-ray, no effusion")
['', 'Chest', ' ', 'X', '-', 'ray', ', ', 'no', ' ', 'effusion', '']
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["APART", "HYPHENS", "joins", "split"]

APART = "\0"  # between texts that are split together: no match reaches over it
HYPHENS = frozenset("-\u2010\u2011\u2012\u2013")

# Marks that stand inside words without parting them: accents and vowel signs of the scripts up to the kana,
# soft hyphen, zero-width signs.
_MARKS = "".join(sign for sign in map(chr, range(0x300, 0x3100)) if unicodedata.category(sign)[0] == "M")
_INNER = f"{_MARKS}\u00ad\u200b-\u200d\u2060\ufeff"
_WORD = re.compile(rf"([^\W_]+(?:[{_INNER}]+[^\W_]*)*(?:['\u2019][sS](?![^\W_]))?)")
_JOINING = frozenset({"", "/", "+", "'", "\u2019"}) | HYPHENS
_UNSEEN = re.compile(rf"[{_INNER}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufe0e\ufe0f]+")


def split(text: str) -> list[str]:
    """Gap, word, gap, word, ..., gap."""
    return _WORD.split(text)


def joins(gap: str) -> bool:
    """Whether a name may go on after this gap: blanks, or one hyphen, slash, plus or apostrophe in them."""
    return gap.strip() in _JOINING or _UNSEEN.sub("", gap).strip() in _JOINING
