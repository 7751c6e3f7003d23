"""The exponential moving average of weights that are trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Average"]

_WARM = 10  # steps: a young average must follow quickly


class Average:
    """Weights that slowly follow others, which change in place. Counts are no floats, and are taken over."""

    def __init__(self, theirs: Mapping[str, torch.Tensor], decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.weights = {name: value.detach().clone() for name, value in theirs.items()}
        pairs = [(self.weights[name], value) for name, value in theirs.items()]
        floats = [pair for pair in pairs if pair[0].dtype.is_floating_point]
        self._mine, self._theirs = [mine for mine, _ in floats], [their for _, their in floats]
        self._counts = [pair for pair in pairs if not pair[0].dtype.is_floating_point]

    @torch.no_grad()
    def follow(self) -> None:
        """One step after them."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (_WARM + self.steps))
        torch._foreach_lerp_(self._mine, self._theirs, 1 - decay)  # pyright: ignore
        for mine, their in self._counts:
            mine.copy_(their)

    @torch.no_grad()
    def go_on_from(self, weights: Mapping[str, torch.Tensor], steps: int) -> None:
        """Take over the average of an earlier run."""
        self.steps = steps
        for name, value in weights.items():
            self.weights[name].copy_(value)
