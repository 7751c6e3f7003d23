"""Numbers of statements, and the caption parted where statements stand in it.

Invariant: the concept and the words that name it have one number; the pieces of a caption, put together, are
the caption, and places that lie beyond it are cut to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.explanation.values import Evidence, Explanation

__all__ = ["Piece", "number_of", "numbers_of", "pieces"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a caption: the numbers of what it says, and those of them that begin here."""

    text: str
    numbers: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()


def numbers_of(explanation: Explanation) -> dict[str, int]:
    """From 1 for each statement that a figure shows, by its concept, or its key where it has none."""
    return {one.cui or one.key: number for number, one in enumerate(explanation.shown, 1)}


def number_of(numbers: Mapping[str, int], one: Evidence) -> int | None:
    """The number of a piece of evidence on the figure, if it has one."""
    return numbers.get(one.cui or one.key)


def pieces(caption: str, statements: Sequence[Evidence]) -> list[Piece]:
    """The caption in pieces; statement n of the sequence has the number n, from 1."""
    over: list[list[int]] = [[] for _ in caption]
    for number, one in enumerate(statements, 1):
        for letter in range(*_cut(one.place, len(caption))):
            over[letter].append(number)
    made: list[Piece] = []
    seen: set[int] = set()
    for numbers, letters in groupby(range(len(caption)), key=lambda letter: tuple(over[letter])):
        begins = tuple(number for number in numbers if number not in seen)
        seen.update(begins)
        made.append(Piece("".join(caption[letter] for letter in letters), numbers, begins))
    return made


def _cut(place: tuple[int, int] | None, length: int) -> tuple[int, int]:
    first, last = place or (0, 0)
    return max(first, 0), min(last, length)
