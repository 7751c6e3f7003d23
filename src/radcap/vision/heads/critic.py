"""A critic of whole sets of concepts (VCMI 2023: adversarial).

It learns to tell the true concepts of an image from predicted probabilities, while the network learns to pass
for true. Invariant: one optimiser trains both, since the slope turns round between them (Ganin and Lempitsky
2015), so a training with a critic resumes as any other.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["Critic"]


class _Turned(torch.autograd.Function):
    """The same forwards, the opposite backwards."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:  # noqa: ANN401, ARG004 - torch's form
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:  # noqa: ANN401, ARG004 - torch's form
        return -grads[0]


class Critic(nn.Module):
    """A layer over the labels, and whether they look like a true set."""

    def __init__(self, labels: int, width: int, weight: float) -> None:
        super().__init__()
        self.weight = weight
        self.layers = nn.Sequential(nn.Linear(labels, width), nn.LeakyReLU(0.2), nn.Linear(width, 1))

    def loss(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """How badly true and predicted sets are told apart; the network is driven to make it worse."""
        turned: Any = _Turned.apply(torch.sigmoid(logits))  # type: ignore[no-untyped-call]
        true, made = self.layers(labels.float()), self.layers(turned)
        told = F.binary_cross_entropy_with_logits
        return self.weight * (told(true, torch.ones_like(true)) + told(made, torch.zeros_like(made))) / 2
