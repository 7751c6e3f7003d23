"""Many texts as one row of words, so that all of them are looked up at once.

Invariant: `start` and `end` are places in `text`, the texts put together; no two words of different texts are
joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.words import APART, ARTICLES, joins, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["WordRow", "read_words"]

_JOINED, _SENTENCE, _INITIAL, _DOT = 1, 2, 4, 8
_ENDINGS = frozenset(".!?;")
_MOST_GAPS, _KEPT = 100_000, 20  # gaps kept in memory, and letters of the longest


class _Gaps(dict[str, int]):
    """What a gap means, worked out once for each that is met."""

    def __missing__(self, gap: str) -> int:
        mark = _SENTENCE if _ends_sentence(gap) else _JOINED * joins(gap)
        mark += _INITIAL * (gap.rstrip() == ".") + _DOT * (gap == ".")
        if len(gap) <= _KEPT:
            if len(self) >= _MOST_GAPS:
                self.clear()
            self[gap] = mark
        return mark


def _ends_sentence(gap: str) -> bool:
    if APART in gap or gap.count("\n") > 1:
        return True
    return any(sign in _ENDINGS and not gap[i + 1 : i + 2].strip() for i, sign in enumerate(gap))


_gaps = _Gaps()


@dataclass(frozen=True, slots=True)
class WordRow:
    """The words of some texts, articles left out."""

    text: str
    words: list[str]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    joined: NDArray[np.bool_]  # to the word before
    sentence: NDArray[np.int64]  # the number of the sentence each word stands in
    texts: NDArray[np.int64]  # where each text starts, and where the next would
    shouted: list[bool]  # whether each text is in capitals, so that case tells nothing


def read_words(texts: Sequence[str]) -> WordRow:
    """The row of words of these texts."""
    whole = APART.join(texts)
    parts = split(whole)
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    words, gaps = parts[1::2], parts[0:-1:2]
    marks = np.fromiter(map(_gaps.__getitem__, gaps), np.int64, len(gaps))
    start, end = ends[0:-1:2], ends[1::2]
    joined = (marks & _JOINED) != 0
    initial = (marks & _INITIAL) != 0
    initial[1:] &= end[:-1] - start[:-1] == 1  # the dot behind one letter, as in C. difficile
    for place in np.flatnonzero(marks & _DOT).tolist():  # and that between digits, as in 22q11.2
        initial[place] |= place > 0 and words[place - 1][-1].isdigit() and words[place][0].isdigit()
    joined |= initial
    sentence = np.cumsum(((marks & _SENTENCE) != 0) & ~initial)
    kept = ~np.fromiter(map(ARTICLES.__contains__, words), np.bool_, len(words))
    if not kept.all():
        words = list(compress(words, kept.tolist()))
        joined = _without(joined, kept)
        start, end, sentence = start[kept], end[kept], sentence[kept]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    return WordRow(whole, words, start, end, joined, sentence, bounds, [text.isupper() for text in texts])


def _without(joined: NDArray[np.bool_], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the words that stay are joined to the one before, over those that go."""
    breaks = np.cumsum(~joined)[kept]
    return np.diff(breaks, prepend=-1) == 0
