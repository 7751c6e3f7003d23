"""The statements of an image in the order in which a reader meets them.

Invariant: every statement has one place in the order, and `mark` is its name in the page: two numbers that we
count ourselves, never a text of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.explanation.pictures.numbers import number_of, numbers_of
from radcap.explanation.values import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.values import Evidence, Explanation

__all__ = ["Statement", "first_statement", "parted", "statements"]


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A piece of evidence, its name in the page and the number that figures give it."""

    evidence: Evidence
    mark: str
    number: int | None

    @property
    def colour(self) -> str | None:
        """The class of its colour; the last is for those that have none of their own."""
        if self.number is None:
            return None
        names = "abcdefgh"
        return f"tag-{names[min(self.number, len(names)) - 1]}"


def statements(explanation: Explanation, image: int) -> list[Statement]:
    """Those of the caption as they are read, then the others as they were given."""
    numbers = numbers_of(explanation)
    order = sorted(explanation.evidence, key=_reading)
    return [
        Statement(one, f"{image}-{place}", number_of(numbers, one) if one.kind is not Kind.WORD else None)
        for place, one in enumerate(order, 1)
    ]


def _reading(one: Evidence) -> tuple[bool, int, int]:
    first, last = one.place or (0, 0)
    return one.place is None, first, -last


def first_statement(explanation: Explanation, made: Sequence[Statement]) -> Statement | None:
    """The one that is shown first: the first panel of the figure, else the first with a map, else any."""
    wanted = [*explanation.shown, *(one for one in explanation.evidence if one.map is not None)]
    found = [one for first in wanted for one in made if one.evidence is first]
    return next(iter([*found, *made]), None)


def parted(
    caption: str, made: Sequence[Statement]
) -> tuple[list[tuple[str, Statement | None]], list[Statement]]:
    """The caption in pieces, some of which are statements, and the statements that found no place in it.

    Concepts come before single words; a statement inside another, which one button cannot be, finds none.
    """
    taken: list[tuple[int, int, Statement]] = []
    order = sorted(made, key=lambda one: (one.evidence.kind is Kind.WORD, _reading(one.evidence)))
    for one in order:
        first, last = one.evidence.place or (0, 0)
        inside = 0 <= first < last <= len(caption)
        if inside and all(last <= start or end <= first for start, end, _ in taken):
            taken.append((first, last, one))
    placed = {one.mark for _, _, one in taken}
    return _pieces(caption, sorted(taken, key=lambda one: one[0])), [
        one for one in made if one.mark not in placed
    ]


def _pieces(caption: str, taken: Sequence[tuple[int, int, Statement]]) -> list[tuple[str, Statement | None]]:
    made: list[tuple[str, Statement | None]] = []
    at = 0
    for first, last, one in taken:
        made += [(caption[at:first], None), (caption[first:last], one)]
        at = last
    return [piece for piece in [*made, (caption[at:], None)] if piece[0]]
