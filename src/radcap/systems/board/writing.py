"""A board as files: a page, a table, and JSON with everything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from radcap.formats import replacing
from radcap.systems.board.page import board_page
from radcap.systems.board.tables import ranking_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.systems.board.board import Board
    from radcap.systems.board.limits import Limit
    from radcap.systems.board.shifts import TestSet

__all__ = ["write_board"]


def write_board(board: Board, sets: Sequence[TestSet], limits: Sequence[Limit], folder: Path) -> Path:
    """`board.html`, `board.csv` and `board.json` in a folder; the page."""
    texts = {
        "board.csv": ranking_table(board).to_csv(),
        "board.json": f"{json.dumps(board.to_json(), indent=1)}\n",
        "board.html": board_page(board, sets, limits),
    }
    for name, text in texts.items():
        with replacing(folder / name) as part:
            part.write_text(text, encoding="utf-8")
    return folder / "board.html"
