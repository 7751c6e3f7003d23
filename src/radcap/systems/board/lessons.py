"""What a board teaches: by edition, by family, and by how much was spent.

Invariant: everything is counted from the rows of the board; systems that stand on a shipped model are left
out, since that model knows the data better than its rivals.
"""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING

from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.systems.board.board import Board, BoardRow

__all__ = ["concordance", "cost_table", "edition_table", "family_table"]

_OWN = "radcap"
_FEWEST = 3  # systems whose order says something


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


def _fair(board: Board) -> list[BoardRow]:
    return [one for one in board.rows if not one.result.borrowed]


def edition_table(board: Board) -> Table:
    """Whose published score was the best, who would have won here, and whether the two orders agree."""
    fair = [one for one in _fair(board) if one.edition != _OWN]
    rows: list[tuple[str, ...]] = []
    for edition in sorted({one.edition for one in fair}):
        here = [one for one in fair if one.edition == edition]
        known = [one for one in here if one.published is not None]
        then = max(known, key=lambda one: one.published or 0.0).team if known else ""
        orders = [(one.published or 0.0, one.f1) for one in known]
        tau = concordance(orders) if len(orders) >= _FEWEST else None
        best = max(here, key=lambda one: one.f1)
        told = "" if tau is None else f"{tau:+.2f}"
        rows.append((edition, str(len(here)), then, best.name, f"{best.f1:.4f}", _median(here), told))
    columns = ("edition", "systems", "best published", "best here", "its F1", "median F1", "tau")
    return Table(columns, tuple(rows), right=frozenset({"systems", "its F1", "median F1", "tau"}))


def family_table(board: Board) -> Table:
    """The families, the best first."""
    parts = _parted(_fair(board), lambda one: one.family or "other")
    rows = sorted(parts.items(), key=lambda part: -max(one.f1 for one in part[1]))
    return _table("family", [(name, some) for name, some in rows])


def cost_table(board: Board) -> Table:
    """One model against few and many."""

    def size(one: BoardRow) -> str:
        many = one.result.members
        return "one model" if many == 1 else "2 or 3 members" if many <= 3 else "4 members or more"  # noqa: PLR2004

    parts = _parted(_fair(board), size)
    order = ("one model", "2 or 3 members", "4 members or more")
    return _table("size", [(name, parts[name]) for name in order if name in parts])


def _parted(rows: Sequence[BoardRow], key: Callable[[BoardRow], str]) -> dict[str, list[BoardRow]]:
    parts: dict[str, list[BoardRow]] = {}
    for one in rows:
        parts.setdefault(key(one), []).append(one)
    return parts


def _table(what: str, parts: Sequence[tuple[str, list[BoardRow]]]) -> Table:
    rows = tuple(
        (
            name,
            str(len(some)),
            max(some, key=lambda one: one.f1).name,
            f"{max(one.f1 for one in some):.4f}",
            _median(some),
            f"{median(one.result.train_s for one in some):,.0f}",
        )
        for name, some in parts
    )
    columns = (what, "systems", "best", "its F1", "median F1", "median seconds")
    return Table(columns, rows, right=frozenset({"systems", "its F1", "median F1", "median seconds"}))


def _median(rows: Sequence[BoardRow]) -> str:
    return f"{median(one.f1 for one in rows):.4f}"
