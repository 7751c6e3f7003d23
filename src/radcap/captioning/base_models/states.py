"""The models inside and the bases that can be fetched, as a table for people: what is ready, what is missing.

Invariant: nothing is loaded: a model is ready where its files and the packages that run it are there.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from radcap.captioning.base_models.catalogue import BASES, NEEDS
from radcap.captioning.base_models.finding import find_base, way_to
from radcap.captioning.base_models.tools import READING, WRITING, lacking
from radcap.report import Table
from radcap.zoo import PREFIX, find, names

if TYPE_CHECKING:
    from pathlib import Path

    from radcap.captioning.base_models.catalogue import Base

__all__ = ["ModelState", "model_states", "model_table"]

_HERE = {True: "ready", False: "no"}
_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class ModelState:
    """One model or base. `size_bytes` is that of its files here, or of the file to be fetched."""

    name: str
    kind: Literal["model", "base"]
    task: str
    size_bytes: int
    licence: str
    ready: bool
    path: str
    how: str  # to get it, where it is not ready

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def model_states() -> list[ModelState]:
    """The models inside by name, then the bases in the order of the catalogue."""
    return [*map(_model, names()), *map(_base, BASES.values())]


def model_table(states: list[ModelState]) -> Table:
    """One row for each."""
    rows = tuple(
        (one.name, one.kind, one.task, _megabytes(one.size_bytes), one.licence, _HERE[one.ready])
        for one in states
    )
    return Table(("name", "kind", "task", "MB", "licence", "here"), rows, right=frozenset({"MB"}))


def _model(name: str) -> ModelState:
    folder = find(name)
    card: dict[str, Any] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    bases = NEEDS.get(name.removeprefix(PREFIX), ())
    missing = lacking(WRITING if bases else READING)
    absent = [base for base in bases if find_base(BASES[base]) is None]
    hows = [] if missing is None else [f"{missing.what} is missing. {missing.how}"]
    hows += [f"{', '.join(absent)} is missing. {way_to(absent[0])}"] if absent else []
    task, licence = str(card.get("task", "")), str(card.get("licence", ""))
    return ModelState(name, "model", task, _size(folder), licence, not hows, str(folder), " ".join(hows))


def _base(base: Base) -> ModelState:
    here = find_base(base)
    how = "" if here else f"It can be fetched. Run: radcap models get {base.name}."
    size = _size(here) if here else base.size_bytes
    return ModelState(base.name, "base", base.form, size, base.licence, not how, str(here or ""), how)


def _size(path: Path) -> int:
    return sum(one.stat().st_size for one in ([path] if path.is_file() else path.iterdir()) if one.is_file())


def _megabytes(size: int) -> str:
    """
    >>> _megabytes(5_692_448)
    '5.7'
    """
    return f"{size / _MEGABYTE:.1f}"
