"""The board: every scored system with its intervals, letters and costs, best first.

Invariant: scores are those of edition 2025 on the test split, computed from the runs in the folder; nothing
is taken from what a system said of itself. Intervals resample groups of images, letters are those of paired
tests between all systems, corrected by Holm.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from radcap.core import Task, UsageError
from radcap.detection.examples import groups_of
from radcap.metrics import compare
from radcap.systems.board.comparing import procedure_for
from radcap.systems.board.modalities import SHORT, modality_counts, modality_means, modality_of_each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.detection.system import ConceptSystem
    from radcap.metrics import RunComparison
    from radcap.systems.board.results import BoardFolder, Result

__all__ = ["EDITION", "SHORT", "Board", "BoardRow", "make_board", "modality_of_each"]

EDITION = "2025"
_TEST = "test"


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One system: what is published of it, what it scored here, and at what cost."""

    name: str
    edition: str
    team: str
    family: str
    published: float | None
    f1: float
    f1_low: float
    f1_high: float
    f1_manual: float | None  # of datasets with manual labels
    manual_low: float | None
    manual_high: float | None
    rank: int
    letters: str
    by_modality: Mapping[str, float]
    result: Result

    @property
    def score(self) -> float:
        """What ranks."""
        return self.f1

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Board:
    """Rows best first, systems that were not trained with their reasons, and what they were scored on."""

    data: str
    images: int
    groups: int
    rows: tuple[BoardRow, ...]
    not_trained: tuple[Result, ...]
    modalities: Mapping[str, int]  # images of each
    values: Mapping[str, Sequence[float]]  # F1 of each image, by system
    ids: tuple[str, ...]

    @property
    def measure(self) -> str:
        """What ranks, as tables call it."""
        return "F1"

    def row(self, name: str) -> BoardRow:
        return next(one for one in self.rows if one.name == name)

    def to_json(self) -> dict[str, Any]:
        """Without the values of single images, which the runs hold."""
        return {
            "data": self.data,
            "edition": EDITION,
            "images": self.images,
            "groups": self.groups,
            "rows": [one.to_json() for one in self.rows],
            "not_trained": [one.to_json() for one in self.not_trained],
            "modalities": dict(self.modalities),
        }


def make_board(
    systems: Sequence[ConceptSystem], folder: BoardFolder, dataset: Dataset, marks: Mapping[str, str]
) -> Board:
    """The board of all systems that have a result by their mark; the others are not trained yet."""
    found = {one.name: one for one in folder.results({one.name: marks[one.name] for one in systems})}
    scored = {name: one for name, one in found.items() if one.is_scored}
    if not scored:
        raise UsageError(f"{folder.path} holds no score yet. Run: radcap systems reproduce --out DIR.")
    test = dataset.split(_TEST)
    groups = dict(zip(test.ids, groups_of(test, test.ids), strict=True))
    compared = _compared({name: folder.run(name) for name in scored}, test, groups)
    about = {one.name: one for one in systems}
    modalities = modality_of_each(test)
    rows = [
        _row(about[name], scored[name], compared, modalities)
        for name in (one.run for one in compared.comparison.primary.standings)
    ]
    return Board(
        data=dataset.name,
        images=len(test),
        groups=len(set(groups.values())),
        rows=tuple(rows),
        not_trained=tuple(one for one in found.values() if not one.is_scored),
        modalities=modality_counts(modalities),
        values={name: compared.score(name).values for name in scored},
        ids=compared.score(rows[0].name).ids,
    )


def _compared(runs: Mapping[str, Any], test: Dataset, groups: Mapping[str, str]) -> RunComparison:
    truth = dict(zip(test.ids, test.column("cui").to_pylist(), strict=True))
    manual = dict(zip(test.ids, test.column("cui_manual").to_pylist(), strict=True))
    return compare(
        *(runs, truth, Task.CONCEPTS),
        edition=EDITION,
        manual=manual,
        procedure=procedure_for(len(runs)),
        groups=groups,
    )


def _row(
    system: ConceptSystem,
    result: Result,
    compared: RunComparison,
    modalities: Mapping[str, str],
) -> BoardRow:
    metrics = {one.metric: one.standing(system.name) for one in compared.comparison.metrics}
    score, f1, manual = compared.score(system.name), metrics["f1"], metrics.get("f1_manual")
    return BoardRow(
        name=system.name,
        edition=system.edition,
        team=system.team,
        family=system.family,
        published=system.published.get("f1"),
        f1=f1.value,
        f1_low=f1.interval.low,
        f1_high=f1.interval.high,
        f1_manual=manual and manual.value,
        manual_low=manual and manual.interval.low,
        manual_high=manual and manual.interval.high,
        rank=f1.rank,
        letters=f1.letters,
        by_modality=modality_means(score.ids, score.values, modalities),
        result=result,
    )
