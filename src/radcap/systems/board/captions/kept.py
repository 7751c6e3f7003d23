"""The board of captions that ships: what each caption system of the catalogue scored on the bundled data.

Invariant: every number was measured by `radcap systems reproduce --task captions` and written by
`scripts/write_board.py`; before that was done for a system, it has none.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from radcap.systems.board.captions.board import CaptionBoard

__all__ = ["KEPT_FILE", "KeptCaptions", "kept_captions", "to_keep"]

KEPT_FILE = "captions-radiology-open.json"
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class KeptCaptions:
    """One system on the composed captions of the bundled test split."""

    rouge1: float
    low: float
    high: float
    measures: Mapping[str, float]
    rank: int
    letters: str
    scale: str
    borrowed: bool

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@cache
def kept_captions() -> Mapping[str, KeptCaptions]:
    """By system."""
    text = files("radcap.systems.board").joinpath(KEPT_FILE).read_text("utf-8")
    return {name: KeptCaptions(**one) for name, one in json.loads(text)["systems"].items()}


def to_keep(board: CaptionBoard) -> dict[str, Any]:
    """What of a board is kept in the package."""
    scores: dict[str, dict[str, Any]] = {}
    for one in board.rows:
        figures = one.figures[board.source]
        first = figures["rouge1"]
        scores[one.name] = KeptCaptions(
            rouge1=round(first.value, _DIGITS),
            low=round(first.low, _DIGITS),
            high=round(first.high, _DIGITS),
            measures={name: round(figure.value, _DIGITS) for name, figure in figures.items()},
            rank=one.rank,
            letters=one.letters,
            scale=one.result.scale,
            borrowed=one.result.borrowed,
        ).to_json()
    return {
        "data": board.data,
        "captions": board.source,
        "images": board.images[board.source],
        "groups": board.groups[board.source],
        "systems": scores,
    }
