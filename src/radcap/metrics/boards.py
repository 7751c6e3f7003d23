"""The published leaderboards, as they were printed.

Invariant: values and ranks are those of the papers; ours are computed from the values and tested to agree.
>>> board("2017", Task.CONCEPTS)[0].team
'IPL'
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from radcap.core import Task, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BOARDS", "BoardRow", "board"]

BOARDS = ("2017", "2022", "2023", "2025", "2026")  # 2026: the top rows only

_TEAM = ("Team", "Group Name", "Owner")
_RUN = ("Run", "Best Run", "Submission")
_METRICS = {
    "F1": "f1",
    "Secondary F1": "f1_manual",
    "F1 secondary": "f1_manual",
    "BLEU": "bleu",
    "Secondary ROUGE": "rouge1",
    "ROUGE": "rouge1",
    "ROUGE-1": "rouge1",
    "BERTScore": "bertscore",
    "Similarity": "similarity",
    "BLEURT": "bleurt",
    "UMLS Concept F1": "umls_f1",
    "AlignScore": "alignscore",
    "Relevance": "relevance",
    "Factuality": "factuality",
    "Overall": "overall",
}
_RANKS = re.compile(r"(\d+) ?\((\d+)\)")


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One line of a published board."""

    team: str
    run: str
    scores: Mapping[str, float]
    external: str = ""  # data or models beyond the official set, as declared
    automatic: bool = True
    baseline: bool = False  # the organisers' own, not ranked
    rank: int | None = None  # as printed
    rank_secondary: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "team": self.team,
            "run": self.run,
            **self.scores,
            "external": self.external,
            "automatic": self.automatic,
            "baseline": self.baseline,
            "rank": self.rank,
            "rank_secondary": self.rank_secondary,
        }


@cache
def board(edition: str, task: Task) -> tuple[BoardRow, ...]:
    """The published board of an edition, in the printed order."""
    if edition not in BOARDS:
        raise UsageError(f"There is no published board of {edition} here. Known: {', '.join(BOARDS)}.")
    path = files("radcap").joinpath("data", "published", f"{edition}_{task.value}.csv")
    return tuple(_row(cells) for cells in csv.DictReader(path.read_text("utf-8").splitlines()))


def _row(cells: dict[str, str]) -> BoardRow:
    team = _first(cells, _TEAM)
    printed = _RANKS.fullmatch(cells.get("Rank (secondary)", ""))
    return BoardRow(
        team=team,
        run=_first(cells, _RUN),
        scores={_METRICS[name]: float(cell) for name, cell in cells.items() if name in _METRICS and cell},
        external=cells.get("External resources", ""),
        automatic=cells.get("Type", "A") == "A",
        baseline=team.startswith("Baseline"),
        rank=int(printed[1]) if printed else None,
        rank_secondary=int(printed[2]) if printed else None,
    )


def _first(cells: dict[str, str], names: tuple[str, ...]) -> str:
    return next((cells[name] for name in names if name in cells), "")
