"""What a board teaches: by edition, by family, and by how much was spent.

Invariant: everything is counted from the rows of the board; systems that stand on a shipped model are left
out, since that model knows the data better than its rivals.
"""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Protocol

from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.systems.board.results import Result

__all__ = ["concordance", "cost_table", "edition_table", "family_table"]

_OWN = "radcap"
_FEWEST = 3  # systems whose order says something


class Ranked(Protocol):
    """A row of a board, whatever it is ranked by."""

    @property
    def name(self) -> str: ...
    @property
    def edition(self) -> str: ...
    @property
    def team(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def published(self) -> float | None: ...
    @property
    def score(self) -> float: ...
    @property
    def result(self) -> Result: ...


class Rankings(Protocol):
    """A board; `measure` is what it ranks by, as tables call it."""

    @property
    def rows(self) -> Sequence[Ranked]: ...
    @property
    def measure(self) -> str: ...


def concordance(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Kendall's tau-b of two orders: 1 where they agree, -1 where one is the other upside down.

    >>> concordance([(1, 10), (2, 30), (3, 20)])
    0.3333333333333333
    """
    agreed = first = second = 0
    for (a, b), (c, d) in combinations(pairs, 2):
        left, right = (a > c) - (a < c), (b > d) - (b < d)
        agreed += left * right
        first += left != 0
        second += right != 0
    return agreed / (first * second) ** 0.5 if first and second else None


def _fair(board: Rankings) -> list[Ranked]:
    return [one for one in board.rows if not one.result.borrowed]


def edition_table(board: Rankings) -> Table:
    """Whose published score was the best, who would have won here, and whether the two orders agree."""
    fair = [one for one in _fair(board) if one.edition != _OWN]
    rows: list[tuple[str, ...]] = []
    for edition in sorted({one.edition for one in fair}):
        here = [one for one in fair if one.edition == edition]
        known = [one for one in here if one.published is not None]
        then = max(known, key=lambda one: one.published or 0.0).team if known else ""
        orders = [(one.published or 0.0, one.score) for one in known]
        tau = concordance(orders) if len(orders) >= _FEWEST else None
        best = max(here, key=lambda one: one.score)
        told = "" if tau is None else f"{tau:+.2f}"
        rows.append((edition, str(len(here)), then, best.name, f"{best.score:.4f}", _median(here), told))
    its, middle = f"its {board.measure}", f"median {board.measure}"
    columns = ("edition", "systems", "best published", "best here", its, middle, "tau")
    return Table(columns, tuple(rows), right=frozenset({"systems", its, middle, "tau"}))


def family_table(board: Rankings) -> Table:
    """The families, the best first."""
    parts = _parted(_fair(board), lambda one: one.family or "other")
    rows = sorted(parts.items(), key=lambda part: -max(one.score for one in part[1]))
    return _table("family", [(name, some) for name, some in rows], board.measure)


def cost_table(board: Rankings) -> Table:
    """One model against few and many."""

    def size(one: Ranked) -> str:
        many = one.result.members
        return "one model" if many == 1 else "2 or 3 members" if many <= 3 else "4 members or more"  # noqa: PLR2004

    parts = _parted(_fair(board), size)
    order = ("one model", "2 or 3 members", "4 members or more")
    return _table("size", [(name, parts[name]) for name in order if name in parts], board.measure)


def _parted(rows: Sequence[Ranked], key: Callable[[Ranked], str]) -> dict[str, list[Ranked]]:
    parts: dict[str, list[Ranked]] = {}
    for one in rows:
        parts.setdefault(key(one), []).append(one)
    return parts


def _table(what: str, parts: Sequence[tuple[str, list[Ranked]]], measure: str) -> Table:
    rows = tuple(
        (
            name,
            str(len(some)),
            max(some, key=lambda one: one.score).name,
            f"{max(one.score for one in some):.4f}",
            _median(some),
            f"{median(one.result.train_s for one in some):,.0f}",
        )
        for name, some in parts
    )
    columns = (what, "systems", "best", f"its {measure}", f"median {measure}", "median seconds")
    return Table(columns, rows, right=frozenset(columns) - {what, "best"})


def _median(rows: Sequence[Ranked]) -> str:
    return f"{median(one.score for one in rows):.4f}"
