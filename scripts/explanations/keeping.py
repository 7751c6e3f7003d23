"""The figures of the study as values, from the files that `measure` writes or from the copy beside the page.

    docs/studies/explanations.json.gz   every row that a table needs, so that tables can be made anywhere

Invariant: the same figures give the same bytes, and tables made from the copy are those made from the files.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.core import InputError
from radcap.explanation.faithfulness.intervals import mean_of
from radcap.explanation.faithfulness.values import Sanity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from radcap.explanation.faithfulness.intervals import Mean

__all__ = ["GAIN", "Measured", "Study", "read_copy", "read_figures", "write_copy"]

GAIN = "gain"  # insertion less deletion
_COLUMNS = ("image", "label", "deletion", "insertion", "better_than_both", "road", "infidelity")
_COLUMNS += ("sensitivity", "near", "overlap", "seconds")
_MOST = Sanity((), ()).most  # likeness from which a method fails
_SCORES = ("rouge1", "cider")


@dataclass(frozen=True)
class Measured:
    """One method on one model: a row for each map, and how alike maps stay where they should not."""

    model: str
    method: str
    columns: Mapping[str, list[Any]]
    likeness: list[list[float]] = field(default_factory=list)  # image x stage
    twins: list[float] = field(default_factory=list)

    @property
    def images(self) -> int:
        return len(set(self.columns["image"]))

    @cached_property
    def means(self) -> Mapping[str, Mean]:
        """Of every figure that was measured, with its interval over images."""
        names = (*_COLUMNS[4:], GAIN)
        found = {name: mean_of(self.values(name), self.columns["image"]) for name in names}
        return {name: one for name, one in found.items() if one is not None}

    def values(self, name: str) -> list[float | None]:
        if name != GAIN:
            return self.columns[name]
        pairs = zip(self.columns["insertion"], self.columns["deletion"], strict=True)
        return [insertion - deletion for insertion, deletion in pairs]

    @property
    def weights(self) -> float | None:
        """How alike maps are to those of a network whose weights are all noise."""
        return float(np.mean([one[-1] for one in self.likeness])) if self.likeness else None

    @property
    def vanished(self) -> bool:
        """Whether the network of noise had no map at all: then nothing was compared."""
        return bool(self.likeness) and not any(one[-1] for one in self.likeness)

    @property
    def labels(self) -> float | None:
        """How alike maps are to those of a twin that learnt shuffled labels."""
        return float(np.mean(self.twins)) if self.twins else None

    @property
    def fails(self) -> tuple[str, ...]:
        """The checks that it fails."""
        told = {"weights": self.weights, "labels": self.labels}
        return tuple(name for name, value in told.items() if value is not None and abs(value) >= _MOST)

    def to_json(self) -> dict[str, Any]:
        told = {"model": self.model, "method": self.method, "columns": self.columns}
        return {**told, "likeness": self.likeness, "twins": self.twins}


@dataclass(frozen=True, slots=True)
class Study:
    """All that was measured, and how good the models are that it was measured on."""

    measured: tuple[Measured, ...]
    cards: Mapping[str, Mapping[str, float]]

    def of(self, model: str) -> list[Measured]:
        """What was tried on a model, without what does not suit it."""
        return [one for one in self.measured if one.model == model]

    def one(self, model: str, method: str) -> Measured | None:
        return next((one for one in self.of(model) if one.method == method), None)


def read_figures(folder: Path) -> Study | None:
    """The files of `measure`, or None where there are none; cards lie beside the folder."""
    told = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    if not told:
        return None
    models = {one["model"] for one in told}
    return Study(tuple(_measured(one) for one in told if not one["why"]), _cards(folder.parent, models))


def _measured(told: Mapping[str, Any]) -> Measured:
    rows: list[dict[str, Any]] = told["rows"]
    columns = {name: [_short(row[name]) for row in rows] for name in _COLUMNS}
    sanity = told.get("sanity") or {"likeness": []}
    likeness = [[_short(value) for value in one] for one in sanity["likeness"]]
    twins = [_short(one) for one in told.get("twins") or []]
    return Measured(told["model"], told["method"], columns, likeness, twins)


def _short(value: Any) -> Any:  # noqa: ANN401 - a number, a word, or nothing
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _cards(work: Path, models: Iterable[str]) -> dict[str, dict[str, float]]:
    """The held-out figures of models that were trained for the study, and of their twins."""
    together = work / "cards.json"
    twins = [one.replace("phantom-", "twin-") for one in models]
    if together.is_file():
        cards = json.loads(together.read_text("utf-8"))
    else:
        paths = [work / name / "card.json" for name in (*models, *twins)]
        cards = {path.parent.name: json.loads(path.read_text("utf-8")) for path in paths if path.is_file()}
    return {name: _held_out(cards[name]["held_out"]) for name in sorted(cards)}


def _held_out(told: Mapping[str, Any]) -> dict[str, float]:
    if "f1" in told:
        return {"n": told["n"], "f1": _short(told["f1"])}
    composed = told["composed"]
    return {"n": composed["n"], **{name: _short(composed[name]["value"]) for name in _SCORES}}


def write_copy(study: Study, path: Path) -> None:
    told = {"measured": [one.to_json() for one in study.measured], "cards": study.cards}
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read_copy(path: Path) -> Study:
    try:
        told = json.loads(gzip.decompress(path.read_bytes()))
        return Study(tuple(Measured(**one) for one in told["measured"]), told["cards"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{path} cannot be read as figures of the study: {error}."
        raise InputError(f"{why} Name a folder that `measure` wrote, or get the file again.") from error
