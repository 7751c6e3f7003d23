"""The words of all names, each with a number.

Invariant: a word's number is its place among the sorted hashes; a word that is not there is never taken for
one that is, since the letters are compared too.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from radcap.vocabulary.index.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.vocabulary.index.arrays import Array

__all__ = ["UNKNOWN", "WordTable"]

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class WordTable:
    """Normal forms and their numbers."""

    hashes: Array
    words: Texts

    @classmethod
    def of(cls, words: Sequence[str]) -> tuple[WordTable, Array]:
        """A table, and the number each of these words has in it."""
        hashes = np.fromiter(map(_hash, words), np.uint64, len(words))
        order = np.argsort(hashes, kind="stable")
        numbers = np.empty(len(words), np.uint32)
        numbers[order] = np.arange(len(words), dtype=np.uint32)
        return cls(hashes[order], Texts.of([words[int(place)] for place in order])), numbers

    @classmethod
    def among(cls, arrays: Mapping[str, Array]) -> WordTable:
        return cls(arrays["words.hashes"], Texts.among(arrays, "words"))

    def to_arrays(self) -> dict[str, Array]:
        return {"words.hashes": self.hashes, **self.words.to_arrays("words")}

    def __len__(self) -> int:
        return len(self.hashes)

    def number(self, word: str) -> int:
        """The number of a normal form, or `UNKNOWN`."""
        wanted = np.uint64(_hash(word))
        place = int(self.hashes.searchsorted(wanted))
        while place < len(self.hashes) and self.hashes[place] == wanted:
            if self.words[place] == word:
                return place
            place += 1
        return UNKNOWN


def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
