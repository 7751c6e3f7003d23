"""Letters for a ranking: a compact letter display (Piepho 2004).

Invariant: two runs share a letter if and only if they do not differ; every letter has as many runs as it can,
and none could be left out. The best run has an 'a'.
Inserting and absorbing as Piepho does finds every possible letter: thousands for fifty runs that
are close, where a few suffice. So letters are grown one at a time until all alike pairs have one.
>>> compact_letters([[False, False, True], [False, False, False], [True, False, False]])
['a', 'ab', 'b']
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from string import ascii_lowercase
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

__all__ = ["compact_letters", "letter"]

Group: TypeAlias = "tuple[int, ...]"  # the runs that share a letter, ascending


def compact_letters(differs: Sequence[Sequence[bool]]) -> list[str]:
    """The letters of each run, from a symmetric matrix in rank order that says which runs differ.

    After z come a1 to z1, then a2: a letter is a character with the digits behind it.
    """
    runs = range(len(differs))
    alike = [{other for other in runs if other == run or not differs[run][other]} for run in runs]
    groups = sorted(_needed(list(_cover(alike))))
    return ["".join(letter(place) for place, group in enumerate(groups) if run in group) for run in runs]


def letter(place: int) -> str:
    """The name of a group, counted from 0.

    >>> letter(0), letter(25), letter(26), letter(52)
    ('a', 'z', 'a1', 'a2')
    """
    turn, rest = divmod(place, len(ascii_lowercase))
    return f"{ascii_lowercase[rest]}{turn or ''}"


def _pairs(group: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Every pair of a group, and each run with itself, since a run alone needs a letter too."""
    return combinations_with_replacement(sorted(group), 2)


def _cover(alike: Sequence[AbstractSet[int]]) -> Iterator[Group]:
    """Groups of runs that are all alike, until every alike pair is in one."""
    covered: set[tuple[int, int]] = set()
    for first, second in _pairs(range(len(alike))):
        if second in alike[first] and (first, second) not in covered:
            group = _grown({first, second}, alike, covered)
            covered.update(_pairs(group))
            yield group


def _grown(
    group: set[int], alike: Sequence[AbstractSet[int]], covered: AbstractSet[tuple[int, int]]
) -> Group:
    """Add runs that are alike to all so far, first those that bring most new pairs, until none is left."""

    def news(run: int) -> int:
        return sum((min(run, other), max(run, other)) not in covered for other in group)

    possible = set[int].intersection(*(set(alike[run]) for run in group)) - group
    while possible:
        chosen = max(sorted(possible), key=news)
        group = group | {chosen}
        possible = (possible & alike[chosen]) - {chosen}
    return tuple(sorted(group))


def _needed(groups: Sequence[Group]) -> list[Group]:
    """Leave out, from the last one on, each group whose pairs are all in others."""
    homes = Counter(pair for group in groups for pair in _pairs(group))
    kept: list[Group] = []
    for group in reversed(groups):
        if all(homes[pair] > 1 for pair in _pairs(group)):
            homes.subtract(_pairs(group))
        else:
            kept.append(group)
    return kept
