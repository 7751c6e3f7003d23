"""What captioners make of the concepts that they are told: of none, of those predicted, of the true ones.

Invariant: nothing but what is told differs between the three; a difference is that of the same images, and
its interval is of the differences. How far the truth is ahead is what a perfect detector would be worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.systems.board.captions.intervals import Figure, figures
from radcap.systems.board.captions.scores import FREE, RANKING, Measure, score_runs
from radcap.systems.board.results import TOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core import Run
    from radcap.systems.board.captions.scores import Scored
    from radcap.systems.board.results import BoardFolder, Result

__all__ = ["MEASURES", "Telling", "tellings"]

MEASURES = (RANKING, FREE, Measure("cider", "CIDEr", "cider"))
_NONE, _TRUE = TOLD


@dataclass(frozen=True, slots=True)
class Telling:
    """One system by one measure."""

    none: float
    predicted: float
    true: float
    gain: Figure  # of what is predicted over nothing
    gap: Figure  # of the truth over what is predicted


def tellings(
    results: Sequence[Result], folder: BoardFolder, truth: Run, groups: Sequence[str]
) -> dict[str, dict[str, Telling]]:
    """By system and measure, of those that were asked three times; `groups` in the order of the truth."""
    told = [one.name for one in results if one.told_sha256]
    if not told:
        return {}
    runs = {f"{what} {name}": folder.told(what, name) for name in told for what in TOLD}
    scored = score_runs({**{name: folder.run(name) for name in told}, **runs}, truth, MEASURES)
    return {name: {one.name: _telling(scored, name, one.name, groups) for one in MEASURES} for name in told}


def _telling(scored: Scored, name: str, measure: str, groups: Sequence[str]) -> Telling:
    none, said, true = (
        scored.scores[key][measure].values for key in (f"{_NONE} {name}", name, f"{_TRUE} {name}")
    )
    columns = {"none": none, "predicted": said, "true": true}
    columns |= {"gain": _less(said, none), "gap": _less(true, said)}
    found = figures(columns, groups)
    means = {key: found[key].value for key in ("none", "predicted", "true")}
    return Telling(**means, gain=found["gain"], gap=found["gap"])


def _less(first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(first, second, strict=True))
