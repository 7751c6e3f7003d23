"""The board as tables for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.systems.board.board import Board, BoardRow
    from radcap.systems.board.limits import Limit
    from radcap.systems.board.shifts import TestSet

__all__ = [
    "changes_table",
    "large",
    "limit_table",
    "modality_table",
    "ranking_table",
    "shift_table",
    "untrained_table",
]

_MARK = " *"  # stands on a shipped model
_MILLIONS = 100_000  # from here on numbers are told in millions


def ranking_table(board: Board) -> Table:
    """Rank, letters, scores with intervals, what was published, and what it cost."""
    rows = tuple(
        (
            str(one.rank),
            _marked(one),
            one.family,
            _score(one.published),
            _score(one.f1),
            f"{one.f1_low:.3f}-{one.f1_high:.3f}",
            _score(one.f1_manual),
            one.letters,
            *_costs(one),
        )
        for one in board.rows
    )
    scores = ("rank", "system", "family", "published", "F1", "95 %", "manual F1", "letters")
    columns = (*scores, "members", "parameters", "seconds", "images/s")
    right = frozenset(columns) - {"system", "family", "letters"}
    return Table(columns, rows, right=right)


def _marked(one: BoardRow) -> str:
    return f"{one.name}{_MARK}" if one.result.borrowed else one.name


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _costs(one: BoardRow) -> tuple[str, str, str, str]:
    """Members, parameters, seconds of training, images a second."""
    told = one.result
    return str(told.members), large(told.parameters), f"{told.train_s:,.0f}", f"{told.images_per_s:,.0f}"


def large(number: int) -> str:
    """
    >>> large(3_412_000), large(41_025), large(0)
    ('3.4 M', '41 k', '0')
    """
    if number >= _MILLIONS:
        return f"{number / 1e6:.1f} M"
    return f"{number / 1e3:.0f} k" if number else "0"


def modality_table(board: Board) -> Table:
    """F1 of each modality."""
    names = tuple(board.modalities)
    columns = ("system", *(f"{name} ({board.modalities[name]})" for name in names))
    rows = tuple((_marked(one), *(f"{one.by_modality[name]:.3f}" for name in names)) for one in board.rows)
    return Table(columns, rows, right=frozenset(columns[1:]))


def changes_table(board: Board) -> Table:
    """How each system differs here from its file."""
    rows = tuple((one.name, "; ".join(one.result.changes)) for one in board.rows)
    return Table(("system", "changed for the board"), rows)


def untrained_table(board: Board) -> Table:
    """Systems without a score, and why."""
    return Table(("system", "why"), tuple((one.name, one.why_not) for one in board.not_trained))


def limit_table(limits: Sequence[Limit]) -> Table:
    """What the best system could have scored; the first is what it did score."""
    rows = tuple(
        (
            one.name,
            f"{one.concepts:,}" if one.concepts else "",
            f"{one.f1:.4f}",
            f"{one.low:.3f}-{one.high:.3f}",
            f"{one.f1 - limits[0].f1:+.4f}" if number else "",
        )
        for number, one in enumerate(limits)
    )
    columns = ("answer", "concepts", "F1", "95 %", "against the best")
    return Table(columns, rows, right=frozenset(columns[1:]))


def shift_table(sets: Sequence[TestSet]) -> Table:
    """One system over several test sets; the first is the whole."""
    rows = tuple(
        (
            one.name,
            str(one.images),
            f"{one.f1:.4f}",
            f"{one.low:.3f}-{one.high:.3f}",
            f"{one.f1 - sets[0].f1:+.4f}" if number else "",
        )
        for number, one in enumerate(sets)
    )
    columns = ("test set", "images", "F1", "95 %", "against the whole")
    return Table(columns, rows, right=frozenset(columns[1:]))
