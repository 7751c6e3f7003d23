"""The explainability ratings of 2025: one radiologist, eight items from 1 to 5, 16 images per team.

Invariant: the overall rating is the unweighted mean of the eight items, not of their three blocks; means are
exact decimals until they are rounded, half up to one digit, as the paper prints them.
>>> rows = explainability()
>>> [(row.team, half_up(overall_rating(row.items)), row.overall) for row in rows]
[('AUEB NLP Group', 3.2, 3.2), ('JJ-VMed', 2.6, 2.6)]
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "ITEMS",
    "ExplainabilityRow",
    "block_means",
    "explainability",
    "half_up",
    "mean_rating",
    "overall_rating",
]

_TENTH = Decimal("0.1")
# The form: block, item, the column of the published table.
_FORM = (
    ("caption", "readability", "Caption readability"),
    ("caption", "clinical appropriateness", "Clinical appropriateness of caption"),
    ("caption", "level of detail", "Caption level of detail"),
    ("caption", "focus of the caption", "Caption focus"),
    ("visual", "visual-text coherence", "Visual-text coherence"),
    ("visual", "completeness", "Completeness of visualization"),
    ("visual", "focus of the visualisation", "Visualization focus"),
    ("method", "appropriateness of methodology", "Appropriateness of methodology"),
)
_BLOCK_COLUMNS = {"caption": "Mean caption rating", "visual": "Mean visualization rating"}
ITEMS: Mapping[str, str] = {
    item: block for block, item, _ in _FORM
}  # item -> block, in the order of the form


@dataclass(frozen=True, slots=True)
class ExplainabilityRow:
    """One team: the mean of each item, and the means of the paper as it prints them."""

    team: str
    items: Mapping[str, float]
    blocks: Mapping[str, float]  # of captions and visualisations; the third block is one item
    overall: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@cache
def explainability() -> tuple[ExplainabilityRow, ...]:
    """The published table, in the printed order."""
    path = files("radcap").joinpath("data", "published", "2025_explainability.csv")
    return tuple(_row(cells) for cells in csv.DictReader(path.read_text("utf-8").splitlines()))


def _row(cells: Mapping[str, str]) -> ExplainabilityRow:
    return ExplainabilityRow(
        team=cells["Team"],
        items={item: float(cells[column]) for _, item, column in _FORM},
        blocks={block: float(cells[column]) for block, column in _BLOCK_COLUMNS.items()},
        overall=float(cells["Overall"]),
    )


def mean_rating(ratings: Iterable[float]) -> Decimal:
    """The exact mean of ratings as they are written.

    >>> mean_rating([4.5, 2.7, 2.6, 3.3])
    Decimal('3.275')
    """
    written = [Decimal(str(rating)) for rating in ratings]
    return sum(written, Decimal()) / len(written)


def block_means(items: Mapping[str, float]) -> dict[str, Decimal]:
    """The mean of each block of the form."""
    blocks = dict.fromkeys(ITEMS.values())
    return {block: mean_rating(items[item] for item in ITEMS if ITEMS[item] == block) for block in blocks}


def overall_rating(items: Mapping[str, float]) -> Decimal:
    """The mean of the eight items, each with the same weight."""
    return mean_rating(items[item] for item in ITEMS)


def half_up(mean: Decimal) -> float:
    """One digit, a half rounded up: 2.55 is 2.6."""
    return float(mean.quantize(_TENTH, ROUND_HALF_UP))
