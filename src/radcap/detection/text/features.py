"""Texts as numbers: words and pairs of neighbouring words, weighed by how rare they are (tf-idf).

Invariant: words are compared in their normal form, so spelling, case and number tell nothing; a row has the
length 1, or is empty where no term of a text is known.
>>> sorted(terms("CTs of the chest"))
['chest', 'ct', 'ct of', 'of', 'of chest']
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.words import ARTICLES, normal, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Features", "Rows", "terms"]

_MOST = 10_000  # terms that are kept, the commonest


def terms(text: str) -> Counter[str]:
    """The words of a text and its pairs of words, counted."""
    words = [normal(word) for word in split(text)[1::2] if word not in ARTICLES]
    return Counter([*words, *(f"{one} {other}" for one, other in pairwise(words))])


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """A sparse matrix: the number at each row and column that is not 0, by row."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Features:
    """The terms that are known, and how much each tells."""

    terms: tuple[str, ...]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, texts: Sequence[str], most: int = _MOST) -> Features:
        """The commonest terms of some texts; weighed as ln((1 + n) / (1 + texts with the term)) + 1."""
        seen = Counter[str]()
        for text in texts:
            seen.update(terms(text).keys())
        kept = sorted(seen, key=lambda term: (-seen[term], term))[:most]
        having = np.array([seen[term] for term in kept], np.float64)
        return cls(tuple(kept), np.log((1 + len(texts)) / (1 + having)) + 1)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.terms)}

    def rows(self, texts: Sequence[str]) -> Rows:
        """A row for each text."""
        row: list[int] = []
        column: list[int] = []
        count: list[int] = []
        for number, text in enumerate(texts):
            known = sorted((self._place[term], n) for term, n in terms(text).items() if term in self._place)
            row += [number] * len(known)
            column += [place for place, _ in known]
            count += [n for _, n in known]
        at, of = np.array(row, np.int64), np.array(column, np.int64)
        value = (1 + np.log(np.maximum(count, 1))) * self.weight[of]
        length = np.sqrt(np.bincount(at, value**2, len(texts)))
        return Rows(at, of, value / length[at], (len(texts), len(self.terms)))
