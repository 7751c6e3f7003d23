"""The baselines' tuning: every learning rate with every optimiser, judged on the held-out split.

Invariant: a combination that was tried is not tried again after a kill; one whose loss became no number has
lost, and is not an error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from radcap.core import InputError, UsageError
from radcap.formats import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from radcap.detection.system import ConceptModel
    from radcap.detection.talk import Talk

__all__ = ["Tried", "combinations", "search"]


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
    model: ConceptModel,
    judge: Callable[[ConceptModel, Path], float | None],
    folder: Path,
    talk: Talk,
    *,
    writes: bool = True,
) -> tuple[ConceptModel, tuple[Tried, ...]]:
    """The best model of the grid, the first of equals; `judge` trains one in a folder and gives its F1.

    `writes` is for the first of several processes.
    """
    memory = folder / "grid.json"
    known = _remembered(memory)
    tried: list[tuple[Tried, ConceptModel]] = []
    for one in combinations(model):
        key = f"{one.train.optimiser} {one.train.lr!r}"
        if key not in known:
            talk.tell(f"Trying {one.train.optimiser} with lr {one.train.lr:g}")
            known[key] = judge(one, folder / f"grid-{len(tried)}")
            if writes:
                _remember(memory, known)
        tried.append((Tried(one.train.lr, one.train.optimiser, known[key]), one))
    best = _best(tried)
    talk.tell(f"Best: {best.train.optimiser} with lr {best.train.lr:g}")
    return best, tuple(one for one, _ in tried)


def _best(tried: Sequence[tuple[Tried, ConceptModel]]) -> ConceptModel:
    fine = [(one.f1, model) for one, model in tried if one.f1 is not None]
    if not fine:
        raise UsageError(
            "No combination of [search] could be trained: every loss became no number. Lower its lr."
        )
    return max(fine, key=lambda pair: pair[0])[1]


def _remember(memory: Path, known: dict[str, float | None]) -> None:
    with replacing(memory) as part:
        part.write_text(json.dumps(known), encoding="utf-8")


def _remembered(memory: Path) -> dict[str, float | None]:
    """What was tried before a kill."""
    if not memory.exists():
        return {}
    try:
        told = json.loads(memory.read_text(encoding="utf-8"))
        return {key: None if f1 is None else float(f1) for key, f1 in cast("dict[str, Any]", told).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"{memory} cannot be read: {error}. Delete it, and its combinations are tried again.",
            path=str(memory),
        ) from error
