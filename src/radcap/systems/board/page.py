"""The board as one HTML file.

Invariant: it shows the values it was given and computes none; nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.axis import axis_over
from radcap.report.html import facts_list, figure, page, section, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.row_chart import NARROW, WIDE, Row, row_chart
from radcap.systems.board.board import EDITION
from radcap.systems.board.lessons import cost_table, edition_table, family_table
from radcap.systems.board.tables import (
    changes_table,
    limit_table,
    modality_table,
    ranking_table,
    shift_table,
    untrained_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.report.row_chart import Form
    from radcap.systems.board.board import Board, BoardRow
    from radcap.systems.board.limits import Limit
    from radcap.systems.board.shifts import TestSet

__all__ = ["board_page"]

_BORROWED = (
    "A star marks systems whose words come from a captioner that ships with radcap. It was trained before, "
    "with means of its own, so they are no rivals of the others."
)
_LETTERS = (
    "Systems that share a letter are not separable by paired tests between all of them, which flip whole "
    "groups of images (Holm)."
)
_TAU = (
    "Tau compares the published order of an edition with the order here: 1 is the same order, 0 is none, "
    "-1 is upside down."
)


_RIGHT = (
    "The run of the best system with one kind of concept put right by the truth, and what half of all "
    "systems say. Nothing is trained or chosen anew."
)


def board_page(
    board: Board,
    sets: Sequence[TestSet],
    limits: Sequence[Limit],
    title: str = "Concept systems on one board",
) -> str:
    """The whole page."""
    parts = [
        section("ranking", "Ranking", _chart(board), table_box(ranking_table(board)), _notes(board)),
        section("editions", "What age did to the ranking", table_box(edition_table(board)), _said(_TAU)),
        section("families", "Families", table_box(family_table(board))),
        section("cost", "Simple against elaborate", table_box(cost_table(board))),
        *(
            [section("limits", "What limits the best", table_box(limit_table(limits)), _said(_RIGHT))]
            if limits
            else []
        ),
        section("modalities", "By modality", table_box(modality_table(board))),
        *([section("sets", "One baseline, several test sets", table_box(shift_table(sets)))] if sets else []),
        section("changes", "How systems differ from their files", table_box(changes_table(board))),
        *(
            [section("untrained", "Not trained", table_box(untrained_table(board)))]
            if board.not_trained
            else []
        ),
    ]
    return page(title, facts_list(_facts(board)), *parts)


def _facts(board: Board) -> list[tuple[str, str]]:
    scales = ", ".join(sorted({one.result.scale for one in board.rows}))
    devices = ", ".join(sorted({one.result.device for one in board.rows}))
    return [
        ("data", f"{board.data}, {board.images:,} test images in {board.groups:,} groups"),
        ("scored as", f"edition {EDITION}"),
        ("systems", str(len(board.rows))),
        ("scale", scales),
        ("trained on", devices),
    ]


def _notes(board: Board) -> Markup:
    borrowed = any(one.result.borrowed for one in board.rows)
    return joined([_said(_LETTERS), *([_said(_BORROWED)] if borrowed else [])])


def _said(text: str) -> Markup:
    return element("p", text)


def _chart(board: Board) -> Markup:
    words = "F1 with 95 % intervals over groups of images. Hollow: stands on a shipped model."
    return figure(_drawn(board, WIDE), _drawn(board, NARROW), words)


def _drawn(board: Board, form: Form) -> Markup:
    rows = [_chart_row(one) for one in board.rows]
    ends = [end for row in rows for end in (row.low, row.high)]
    axis = axis_over(ends, wanted=(form.right - form.left) // 55)
    about = f"F1 of {len(rows)} systems, best first: " + "; ".join(f"{one.name} {one.label}" for one in rows)
    return row_chart(rows, axis, "F1", about, form)


def _chart_row(one: BoardRow) -> Row:
    return Row(
        one.name,
        one.letters,
        low=one.f1_low,
        value=one.f1,
        high=one.f1_high,
        label=f"{one.f1:.4f}",
        solid=not one.result.borrowed,
        detail=f"{one.f1:.4f}, 95 % interval {one.f1_low:.4f} to {one.f1_high:.4f}, letters {one.letters}",
    )
