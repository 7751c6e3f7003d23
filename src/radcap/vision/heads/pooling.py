"""From a feature map to one vector: mean, largest value, or a power mean that is learnt (GeM)."""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import nn

from radcap.vision.blocks import POOLINGS

__all__ = ["AveragePool", "GemPool", "MaxPool", "make_pool"]

_LEAST = 1e-6


def make_pool(name: str) -> nn.Module:
    """The pooling of a name."""
    return cast("nn.Module", POOLINGS.factory(name)())


class AveragePool(nn.Module):
    """The mean over all places of a map."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features.mean(dim=(2, 3))


class MaxPool(nn.Module):
    """The highest value over all places of a map."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features.amax(dim=(2, 3))


class GemPool(nn.Module):
    """The generalised mean of Radenović et al.: between mean (p = 1) and maximum, p learnt from 3."""

    def __init__(self) -> None:
        super().__init__()
        self.power = nn.Parameter(torch.tensor(3.0))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        # by logarithms: a small value to a high power is 0 in single precision, and has no slope
        logs = features.float().clamp(min=_LEAST).log()
        total = torch.logsumexp(self.power * logs, dim=(2, 3))
        return ((total - math.log(logs.shape[2] * logs.shape[3])) / self.power).exp()
