"""Runs and labels that come as Python values, where no reader of files has looked into them.

Invariant: what is no text is refused by name; nothing is turned into text by guessing, because the empty
cell of a data frame would become the caption 'nan'.
>>> as_run({"a": {"C0040405"}, "b": None}, Task.CONCEPTS).cells
{'a': 'C0040405', 'b': None}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from radcap.core import InputError, Run, Task

__all__ = ["as_run"]


def as_run(value: object, task: Task) -> Run:
    """A `Run`, or a mapping from image id to prediction, as a run of the task."""
    if isinstance(value, Run):
        if value.task is not task:
            raise InputError(
                f"{value.name or 'The run'} holds {value.task}, and {task} are wanted. "
                f"They cannot be compared. Give {task}, or score {value.task}."
            )
        return replace(value, cells=_cells(value.cells, task))
    if not isinstance(value, Mapping):
        raise InputError(
            f"A {type(value).__name__} was given for {task}. It names no images. "
            "Give a file, a Run, or a mapping from image id to prediction."
        )
    return Run(task, _cells(cast("Mapping[object, object]", value), task))


def _cells(given: Mapping[object, object] | Mapping[str, str | None], task: Task) -> dict[str, str | None]:
    return {_id(key): _cell(key, cell, task) for key, cell in given.items()}


def _id(key: object) -> str:
    if not isinstance(key, str):
        raise InputError(f"The image id {key!r:.60} is no text. It matches no id of a file. Give a string.")
    return key


def _cell(key: object, cell: object, task: Task) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    wanted = "a string"
    if task is Task.CONCEPTS:
        wanted = "a string or a set of CUIs"
        parts = list(cast("Iterable[object]", cell)) if isinstance(cell, Iterable) else [cell]
        if all(isinstance(part, str) for part in parts):
            return ";".join(cast("list[str]", parts))
    raise InputError(
        f"The value of {key!r:.60} is {cell!r:.60}. It cannot be scored. Give {wanted}, or None."
    )
