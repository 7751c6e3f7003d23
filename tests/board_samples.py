"""Systems and pictures small enough to train a board of them in a test, and boards made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from radcap.core import Run, Task
from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.synthetic import synthetic
from radcap.detection.system import ConceptSystem, Member, tables
from radcap.formats import write_run
from radcap.systems.board.board import Board, make_board
from radcap.systems.board.results import BoardFolder, Result
from radcap.systems.board.scales import Scale
from radcap.vision.settings import BackboneSettings, ImageSettings, TrainSettings

SIZE = 32
TINY = Scale("tiny", SIZE, 1, 2, True, 16, 1e-3, SIZE, 1)
CT, MRI, US, XRAY, ANGIO = "C0040405", "C0024485", "C0041618", "C1306645", "C0002978"
CHEST = "C0817096"
MARK = "mark"  # of results that are handed in


@cache
def pictures() -> Dataset:
    """Train, valid and test."""
    return synthetic(60, size=SIZE, concepts=40, splits={"train": 0.6, "valid": 0.2, "test": 0.2})


def tiny(name: str = "tiny", **given: Any) -> ConceptSystem:
    """A head on a frozen backbone of random weights: a quarter of a second to train."""
    usual: dict[str, Any] = {
        "image": ImageSettings(size=SIZE),
        "backbone": BackboneSettings(frozen=True),
        "train": TrainSettings(epochs=1, batch=16, lr=1e-2),
    }
    return ConceptSystem(name=name, task="concepts", **usual | given)


def member(name: str, seed: int = 0, **given: Any) -> Member:
    train = TrainSettings(epochs=1, batch=16, lr=1e-2, seed=seed)
    return Member(name=name, **tables(tiny(train=train, **given)))


def labelled(
    truth: Sequence[Sequence[str]],
    manual: Sequence[Sequence[str]],
    groups: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> Dataset:
    """A test split of so many images, without the images."""
    many = len(truth)
    columns = {
        "image_id": [f"img_{one:03d}" for one in range(many)],
        "split": ["test"] * many,
        "cui": [list(one) for one in truth],
        "cui_manual": [list(one) for one in manual],
        "group": list(groups) or [""] * many,
        "source": list(sources) or [""] * many,
    }
    return Dataset("made", make_table(columns, many))


def board_of(systems: Sequence[ConceptSystem], folder: BoardFolder, dataset: Dataset) -> Board:
    """The board of what was handed in."""
    return make_board(systems, folder, dataset, {one.name: MARK for one in systems})


def handed_in(
    folder: Path, systems: Mapping[str, Sequence[Sequence[str]]], dataset: Dataset, **facts: Mapping[str, Any]
) -> BoardFolder:
    """Results and runs as if the systems had been trained; `facts` are of results, by what they are."""
    board = BoardFolder(folder)
    for name, said in systems.items():
        cells = {one: ";".join(cuis) for one, cuis in zip(dataset.ids, said, strict=True)}
        write_run(Run(Task.CONCEPTS, cells, name), board.run(name))
        given: dict[str, Any] = {key: some[name] for key, some in facts.items() if name in some}
        board.write(Result(name, MARK, "tiny", train_s=60.0, device="cpu", **given))
    return board
