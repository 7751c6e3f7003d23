"""What a head is, and how one is had by its name.

Invariant: `embed` gives the vector an image is compared by, `forward` its logits, in the order of the labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from radcap.vision.blocks import HEADS
from radcap.vision.heads.pooling import make_pool

if TYPE_CHECKING:
    from radcap.vision.settings import HeadSettings

__all__ = ["Head", "LinearHead", "MlpHead", "make_head"]


class Head(nn.Module):
    """A pooling, and what follows it."""

    def __init__(self, pool: str) -> None:
        super().__init__()
        self.pool = make_pool(pool)

    def embed(self, features: torch.Tensor) -> torch.Tensor:
        return self.pool(features)


class LinearHead(Head):
    """One layer over the pooled features."""

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings.pool)
        self.drop = nn.Dropout(settings.drop)
        self.linear = nn.Linear(width, labels)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.linear(self.drop(self.embed(features)))


class MlpHead(Head):
    """Layers with ReLU and dropout over the pooled features, as DeepLens 2025 has them."""

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings.pool)
        layers: list[nn.Module] = []
        for hidden in settings.hidden:
            layers += [nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(settings.drop)]
            width = hidden
        self.layers = nn.Sequential(*layers, nn.Linear(width, labels))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.layers(self.embed(features))


def make_head(settings: HeadSettings, width: int, labels: int) -> Head:
    """The head of a kind over so many features."""
    return cast("Head", HEADS.factory(settings.kind)(settings, width, labels))
