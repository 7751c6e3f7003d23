"""The exponential moving average of a network's weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import nn

__all__ = ["Average"]

_WARM = 10  # steps: a young average must follow quickly


class Average:
    """Weights that follow a network slowly. Counts that are no floats are taken over as they are."""

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        theirs = network.state_dict()  # the tensors themselves, which training changes in place
        self.weights = {name: value.detach().clone() for name, value in theirs.items()}
        floats = [name for name, value in theirs.items() if value.dtype.is_floating_point]
        self._mine = [self.weights[name] for name in floats]
        self._theirs = [theirs[name] for name in floats]
        self._counts = [(self.weights[name], theirs[name]) for name in theirs if name not in set(floats)]

    @torch.no_grad()
    def follow(self) -> None:
        """One step after the network."""
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
