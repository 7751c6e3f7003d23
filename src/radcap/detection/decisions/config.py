"""What `[decision]` of a system file may say.

Invariant: a value that exists can be used; a rule reads the few fields that concern it.
>>> Decision("fixed", threshold=0.3).threshold
0.3
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from radcap.core.errors import UsageError

__all__ = ["Decision"]

_RANGES: dict[str, tuple[float, float]] = {
    "threshold": (0, 1),
    "k": (0, 100_000),
    "share": (0, 1),
    "start": (0, 1),
    "step": (0, 1),
    "min_positives": (0, 10**9),
    "penalty": (0, 10**6),
    "scale": (0, 10**6),
    "candidates": (1, 500),
    "sets": (1, 100_000),
    "prior": (0, 10**6),
    "fit_images": (1, 10**9),
    "heads": (1, 100_000),
}
_LEAST_STEP = 1e-4  # smaller ones try more thresholds than there is time for


@dataclass(frozen=True, slots=True)
class Decision:
    """Which labels an image gets.

    `fixed`: `threshold`. `top-k`: `k`. `top-share`: `share` of all image x label cells. `per-label-greedy`:
    from `start` downwards in steps of `step` (0: every probability seen). `per-label-regularised`: both ways,
    only labels with `min_positives`, at the cost of `penalty` x distance from the global threshold.
    `per-head`: one for each of `heads` groups of labels that are about as frequent, in steps of `step`.
    `heuristic`: 0.5 - `scale` * log(N / n). `expected-f1`, `gfm`, `label-sets`, `modality-mixture`: exact on
    the `candidates` likeliest labels; `empty_scores`: nothing decided and nothing true scores 1.
    `label-sets`: the `sets` likeliest sets of each image. `modality-mixture`: `prior` images of the marginal
    share are added to each modality. `fit_images`: the most images by which the last three are tuned.
    """

    rule: str = "expected-f1"
    threshold: float = 0.5
    k: int = 5
    share: float = 0.01
    start: float = 0.4
    step: float = 0.01
    min_positives: int = 0
    penalty: float = 0.0
    scale: float = 0.5
    candidates: int = 60
    empty_scores: bool = True
    sets: int = 256
    prior: float = 20.0
    fit_images: int = 2000
    exactly_one: Literal["none", "modality"] = "none"
    never_empty: bool = False
    heads: int = 4

    def __post_init__(self) -> None:
        wrong = [
            f"{name} = {getattr(self, name)} is not from {low:g} to {high:g}"
            for name, (low, high) in _RANGES.items()
            if not low <= getattr(self, name) <= high  # so written, NaN fails too
        ]
        if 0 < self.step < _LEAST_STEP:
            wrong.append(f"step = {self.step} is neither 0 nor from {_LEAST_STEP:g} on")
        if self.exactly_one not in {"none", "modality"}:
            wrong.append(f"exactly_one = {self.exactly_one!r} is neither 'none' nor 'modality'")
        if wrong:
            raise UsageError(f"This decision cannot be used: {'; '.join(wrong)}. Change what is named.")

    def to_json(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
