"""The published leaderboards, as they were printed.

Invariant: values and ranks are those of the papers; ours are computed from the values and tested to agree.
>>> board("2017", Task.CONCEPTS)[0].team
'IPL'
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
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
_MORE = {  # the second table of 2022 and 2023, where BLEU is BLEU-1
    "METEOR": "meteor",
    "CIDEr": "cider",
    "SPICE": "spice",
    "BERTScore": "bertscore",
    "BLEURT": "bleurt",
    "BLEU": "bleu1",
    "CLIPScore": "clipscore",
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
def board(edition: str, task: Task | str) -> tuple[BoardRow, ...]:
    """The published board of an edition, in the printed order."""
    task = Task(task)
    if edition not in BOARDS:
        raise UsageError(f"There is no published board of {edition} here. Known: {', '.join(BOARDS)}.")
    rows = tuple(_row(cells) for cells in _table(f"{edition}_{task.value}.csv"))
    more = {
        _first(cells, _TEAM): _scores(cells, _MORE) for cells in _table(f"{edition}_{task.value}_more.csv")
    }
    return tuple(replace(row, scores={**row.scores, **more.get(row.team, {})}) for row in rows)


def _table(name: str) -> list[dict[str, str]]:
    path = files("radcap").joinpath("data", "published", name)
    return list(csv.DictReader(path.read_text("utf-8").splitlines())) if path.is_file() else []


def _scores(cells: dict[str, str], names: Mapping[str, str]) -> dict[str, float]:
    return {names[name]: float(cell) for name, cell in cells.items() if name in names and cell}


def _row(cells: dict[str, str]) -> BoardRow:
    team = _first(cells, _TEAM)
    printed = _RANKS.fullmatch(cells.get("Rank (secondary)", ""))
    return BoardRow(
        team=team,
        run=_first(cells, _RUN),
        scores=_scores(cells, _METRICS),
        external=cells.get("External resources", ""),
        automatic=cells.get("Type", "A") == "A",
        baseline=team.startswith("Baseline"),
        rank=int(printed[1]) if printed else None,
        rank_secondary=int(printed[2]) if printed else None,
    )


def _first(cells: dict[str, str], names: tuple[str, ...]) -> str:
    return next((cells[name] for name in names if name in cells), "")
