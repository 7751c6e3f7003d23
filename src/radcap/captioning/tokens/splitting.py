"""Where a text is split before pieces are made of it: no piece goes beyond a word, a digit or a row of signs.

Invariant: the words, joined, are the text. Only ASCII is named, so that Python and the `tokenizers` library
split alike whatever they know of Unicode; a blank belongs to the word after it.
>>> words_of("CT of 12 ribs")
['CT', ' of', ' 1', '2', ' ribs']
"""

from __future__ import annotations

import re

__all__ = ["PATTERN", "words_of"]

PATTERN = r" ?[A-Za-z]+| ?[0-9]| ?[^A-Za-z0-9 ]+| +(?![^ ])"
words_of = re.compile(PATTERN).findall
