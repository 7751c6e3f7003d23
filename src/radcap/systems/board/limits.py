"""What keeps the best system of a board from a higher score.

Its run is looked at with one kind of concept put right by the truth: how much a perfect answer of that kind
would be worth. Beside it stands what all systems say together, without anything chosen.

Invariant: nothing is trained, decided or chosen anew; systems that stand on a shipped model are left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.core import Task
from radcap.core.cui_sets import DIRECTIONS, MODALITIES, REGIONS
from radcap.detection.examples import groups_of
from radcap.detection.semantic_kinds import semantic_groups
from radcap.formats import read_run
from radcap.metrics.concept_f1 import set_f1
from radcap.stats import Interval, Procedure, percentile_interval, resampled_means

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from radcap.core import Cui, ImageId
    from radcap.datasets import Dataset
    from radcap.systems.board.board import Board
    from radcap.systems.board.results import BoardFolder

    Sets = Mapping[ImageId, AbstractSet[Cui]]

__all__ = ["Limit", "limits"]

_TEST, _LEARNT = "test", "train"
_GROUPS = {"ANAT": "organs and organ systems", "DISO": "findings and diseases"}
_RARE = 20  # training images


@dataclass(frozen=True, slots=True)
class Limit:
    """A score that could be, and how many true concepts it is about; 0 where it is about none."""

    name: str
    concepts: int
    f1: float
    low: float
    high: float


def limits(board: Board, folder: BoardFolder, dataset: Dataset) -> tuple[Limit, ...]:
    """The best system as it is, then with each kind put right, then the majority of all systems."""
    fair = [one.name for one in board.rows if not one.result.borrowed]
    if not fair:
        return ()
    test = dataset.split(_TEST)
    truth: Sets = dict(zip(test.ids, map(frozenset[str], test.column("cui").to_pylist()), strict=True))
    groups = groups_of(test, board.ids)
    best = _said(folder, fair[0])

    def limit(name: str, said: Sets, concepts: int = 0) -> Limit:
        values = [set_f1(said[one], truth[one]) for one in board.ids]
        between = _interval(values, groups)
        return Limit(name, concepts, sum(values) / len(values), between.low, between.high)

    rows = [limit(fair[0], best)]
    for name, kind in _kinds(dataset, truth, best):
        count = sum(len(cuis & kind) for cuis in truth.values())
        if count:
            rows.append(limit(f"with all {name} right", _put_right(best, truth, kind), count))
    if len(fair) > 1:
        rows.append(limit(f"said by half of {len(fair)} systems", _majority(folder, fair)))
    return tuple(rows)


def _interval(values: Sequence[float], groups: Sequence[str]) -> Interval:
    """Of a mean over images, as the board has them: whole groups are drawn."""
    usual = Procedure()
    drawn = resampled_means(
        np.array(values)[:, None], resamples=usual.resamples, seed=usual.seed, groups=groups
    )
    return percentile_interval(drawn[:, 0], usual.level)


def _said(folder: BoardFolder, name: str) -> Sets:
    run, _ = read_run(folder.run(name), Task.CONCEPTS)
    return {one: frozenset((cell or "").split(";")) - {""} for one, cell in run.cells.items()}


def _kinds(dataset: Dataset, truth: Sets, said: Sets) -> Iterator[tuple[str, AbstractSet[Cui]]]:
    """Kinds of the concepts that are true or said. They share none, but for the rare ones, which cross."""
    every = sorted({cui for some in (*truth.values(), *said.values()) for cui in some})
    yield "modalities", MODALITIES.keys()
    yield "body regions and directions", REGIONS.keys() | DIRECTIONS.keys()
    group = dict(zip(every, semantic_groups(every), strict=True))
    manual = MODALITIES.keys() | REGIONS.keys() | DIRECTIONS.keys()
    for short, name in _GROUPS.items():
        yield name, {cui for cui in every if group[cui] == short and cui not in manual}
    if _LEARNT not in dataset.splits:
        return
    learnt = Counter(cui for cuis in dataset.split(_LEARNT).column("cui").to_pylist() for cui in cuis)
    yield f"concepts of fewer than {_RARE} training images", {one for one in every if learnt[one] < _RARE}


def _put_right(said: Sets, truth: Sets, kind: AbstractSet[Cui]) -> Sets:
    return {one: (said[one] - kind) | (cuis & kind) for one, cuis in truth.items()}


def _majority(folder: BoardFolder, names: list[str]) -> Sets:
    votes: dict[ImageId, Counter[Cui]] = {}
    for name in names:
        for one, cuis in _said(folder, name).items():
            votes.setdefault(one, Counter()).update(cuis)
    return {one: {cui for cui, n in some.items() if 2 * n >= len(names)} for one, some in votes.items()}
