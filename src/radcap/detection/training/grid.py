"""The baselines' tuning: every learning rate with every optimiser, judged on the held-out split.

Invariant: a combination that was tried is not tried again after a kill; one whose loss became no number has
lost, and is not an error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from radcap.detection.system import ConceptModel
    from radcap.detection.training.talk import Talk

__all__ = ["Tried", "search"]


@dataclass(frozen=True, slots=True)
class Tried:
    """A combination and its F1 on the held-out split; None where it could not be trained."""

    lr: float
    optimiser: str
    f1: float | None

    def to_json(self) -> dict[str, Any]:
        return {"lr": self.lr, "optimiser": self.optimiser, "f1": self.f1}


def combinations(model: ConceptModel) -> Iterator[ConceptModel]:
    """The models of a grid."""
    grid = model.search
    for lr, optimiser in product(grid.lr or (model.train.lr,), grid.optimiser or (model.train.optimiser,)):
        yield replace(model, train=replace(model.train, lr=lr, optimiser=optimiser))


def search(
    model: ConceptModel, judge: Callable[[ConceptModel, Path], float | None], folder: Path, talk: Talk
) -> tuple[ConceptModel, tuple[Tried, ...]]:
    """The best model of the grid; `judge` trains one and gives its F1."""
    memory = folder / "grid.json"
    known = json.loads(memory.read_text(encoding="utf-8")) if memory.exists() else {}
    tried: list[tuple[Tried, ConceptModel]] = []
    for one in combinations(model):
        key = f"{one.train.optimiser} {one.train.lr!r}"
        if key not in known:
            talk.tell(f"Trying {one.train.optimiser} with lr {one.train.lr:g}")
            known[key] = judge(one, folder / f"grid-{len(tried)}")
            folder.mkdir(parents=True, exist_ok=True)
            memory.write_text(json.dumps(known), encoding="utf-8")
        tried.append((Tried(one.train.lr, one.train.optimiser, known[key]), one))
    fine = [(one.f1, model) for one, model in tried if one.f1 is not None]
    if not fine:
        raise UsageError("No combination of [search] could be trained: every loss became no number.")
    best = max(fine, key=lambda pair: pair[0])[1]
    talk.tell(f"Best: {best.train.optimiser} with lr {best.train.lr:g}")
    return best, tuple(one for one, _ in tried)
