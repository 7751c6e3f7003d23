"""The board that ships: what each system of the catalogue scored on the bundled data.

Invariant: every number was measured by `radcap systems reproduce` and written by `scripts/write_board.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.systems.board.board import Board

__all__ = ["KeptScore", "kept_scores", "to_keep"]

_FILE = "radiology-open.json"


@dataclass(frozen=True, slots=True)
class KeptScore:
    """One system on the bundled test split."""

    f1: float
    low: float
    high: float
    f1_manual: float | None
    rank: int
    letters: str
    scale: str
    borrowed: bool

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@cache
def kept_scores() -> Mapping[str, KeptScore]:
    """By system."""
    text = files("radcap.systems.board").joinpath(_FILE).read_text("utf-8")
    return {name: KeptScore(**one) for name, one in json.loads(text)["systems"].items()}


def to_keep(board: Board) -> dict[str, Any]:
    """What of a board is kept in the package."""
    scores = {
        one.name: KeptScore(
            round(one.f1, 4),
            round(one.f1_low, 4),
            round(one.f1_high, 4),
            None if one.f1_manual is None else round(one.f1_manual, 4),
            one.rank,
            one.letters,
            one.result.scale,
            one.result.borrowed,
        ).to_json()
        for one in board.rows
    }
    return {"data": board.data, "images": board.images, "groups": board.groups, "systems": scores}
