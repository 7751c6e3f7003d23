"""A few test images with what several systems say of them, since people look at captions first.

Invariant: nobody chose them: of each modality it is the image that is neither hard nor easy, the median of
the mean ROUGE-1 of the systems that are shown; those are the best of each edition, ours, and the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from radcap.core import Task
from radcap.formats import read_run
from radcap.systems.board.captions.board import FLOOR
from radcap.systems.board.modalities import modality_of_each

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.datasets import Dataset
    from radcap.datasets.records import Record
    from radcap.systems.board.captions.board import CaptionBoard, CaptionRow
    from radcap.systems.board.results import BoardFolder

__all__ = ["Sample", "samples", "shown_systems"]

_TEST = "test"
_OWN = "radcap"


@dataclass(frozen=True, slots=True)
class Said:
    """What a system says of an image, and its ROUGE-1."""

    system: str
    caption: str
    value: float


@dataclass(frozen=True, slots=True)
class Sample:
    """An image of the test split with its captions."""

    record: Record
    modality: str
    said: tuple[Said, ...]

    @property
    def true(self) -> Mapping[str, str]:
        """The first caption of each source."""
        return {one.source.value: one.text for one in reversed(self.record.captions)}


def shown_systems(board: CaptionBoard) -> list[str]:
    """The best system of each edition, ours behind them, then the floor."""
    fair = sorted((one for one in board.rows if not one.result.borrowed), key=_order)
    best = [max(some, key=lambda one: one.score).name for _, some in groupby(fair, key=_order)]
    here = {one.name for one in board.rows}
    return list(dict.fromkeys([*best, *(one for one in FLOOR if one in here)]))


def _order(one: CaptionRow) -> tuple[bool, str]:
    return one.edition == _OWN, one.edition


def samples(board: CaptionBoard, folder: BoardFolder, dataset: Dataset) -> tuple[Sample, ...]:
    """One of each modality that has a column."""
    shown = shown_systems(board)
    test = dataset.split(_TEST)
    said = {name: read_run(folder.run(name), Task.CAPTIONS)[0].cells for name in shown}
    values = {name: dict(zip(board.ids, board.values[name], strict=True)) for name in shown}
    modalities, places = modality_of_each(test), {one: row for row, one in enumerate(test.ids)}
    found: list[Sample] = []
    for modality in board.modalities:
        images = [one for one in board.ids if modalities[one] == modality]
        image = _middle(images, [values[name] for name in shown])
        told = tuple(Said(name, said[name][image] or "", values[name][image]) for name in shown)
        found.append(Sample(test[places[image]], modality, told))
    return tuple(found)


def _middle(images: Sequence[str], values: Sequence[Mapping[str, float]]) -> str:
    """The image that half of the others are harder than."""
    ordered = sorted(images, key=lambda image: sum(one[image] for one in values))
    return ordered[len(ordered) // 2]
