"""A run: one line per image, as a team hands it in. The truth has the same shape.

Invariant: a cell is kept as it was written, because editions differ in how they read it;
`None` stands for a line that holds an id and no second cell at all.
>>> Run(Task.CONCEPTS, {"a": "C0040405;C0817096", "b": ""}).cells["b"]
''
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from radcap.core.counts import counted
from radcap.core.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Cui", "ImageId", "Run", "Task"]

Cui: TypeAlias = str  # 'C' and digits, e.g. C0040405
_NO_CELL = "(no second cell)"
ImageId: TypeAlias = str  # e.g. ROCOv2_2023_test_000001, never with a file ending


class Task(StrEnum):
    """What a run predicts."""

    CONCEPTS = "concepts"
    CAPTIONS = "captions"

    @classmethod
    def _missing_(cls, value: object) -> Task:
        raise unknown_name("task", str(value), cls)


@dataclass(frozen=True, slots=True)
class Run:
    """Predictions (or labels) of one task, in file order."""

    task: Task
    cells: Mapping[ImageId, str | None]
    name: str = ""
    source: str = ""  # of a truth: who wrote its captions, where that is known (original, composed, ...)
    images: tuple[ImageId, ...] = ()  # of a truth: all that a run may name, where only some have a label

    def __len__(self) -> int:
        return len(self.cells)

    def _repr_html_(self) -> str:
        from radcap.core.notebooks import html_table

        name = f"Run {self.name}" if self.name else "Run"
        title = f"{name} of {self.task}, {counted(len(self))}"
        rows = ((one, _NO_CELL if cell is None else cell) for one, cell in self.cells.items())
        return html_table(("image", self.task.value), rows, len(self), title=title, noun="image")
