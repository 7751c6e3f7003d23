"""A board of captions as files: a page, a table of all values, and JSON with everything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from radcap.formats import replacing
from radcap.systems.board.captions.page import caption_page
from radcap.systems.board.captions.tables import every_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from radcap.systems.board.captions.board import CaptionBoard
    from radcap.systems.board.captions.samples import Sample

__all__ = ["write_caption_board"]


def write_caption_board(board: CaptionBoard, shown: Sequence[Sample], folder: Path) -> Path:
    """`board.html`, `board.csv` and `board.json` in a folder; the page."""
    texts = {
        "board.csv": every_table(board).to_csv(),
        "board.json": f"{json.dumps(board.to_json(), indent=1)}\n",
        "board.html": caption_page(board, shown),
    }
    for name, text in texts.items():
        with replacing(folder / name) as part:
            part.write_text(text, encoding="utf-8")
    return folder / "board.html"
