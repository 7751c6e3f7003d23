"""What a backbone is, and how one is had by its name.

Invariant: a backbone takes pixels (n x 3 x h x w, 0 to 255) and gives a feature map (n x width x h' x w').
How pixels are scaled is the backbone's own matter, so no caller can get it wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from radcap.vision.blocks import BACKBONES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from radcap.vision.settings import BackboneSettings

__all__ = ["Backbone", "make_backbone"]


class Backbone(nn.Module):
    """A network under its scaling of pixels; `body` is a torch module of any origin."""

    mean: torch.Tensor
    spread: torch.Tensor

    def __init__(self, body: nn.Module, width: int, mean: Sequence[float], spread: Sequence[float]) -> None:
        super().__init__()
        self.body = body
        self.width = width
        self.register_buffer("mean", torch.tensor(mean).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("spread", torch.tensor(spread).view(1, 3, 1, 1), persistent=False)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        return self.body((pixels - self.mean) / self.spread)

    def learn(self, images: Callable[[], Iterator[torch.Tensor]], seed: int) -> None:
        """Learn from images without labels, before training; most backbones have nothing to learn so.

        `images` gives all training images anew, pixels some at a time. What is learnt lies in weights.
        """

    def settings_of(self, settings: BackboneSettings) -> BackboneSettings:
        """The settings that a trained model keeps: with the geometry, where a folder described it."""
        return settings


def make_backbone(settings: BackboneSettings, *, size: int, weights: bool = True) -> Backbone:
    """The backbone of a name, with its weights unless they are loaded later (`weights=False`)."""
    from radcap.vision.backbones.weights import load_weights

    settings = settings if weights else _bare(settings)
    if settings.name in BACKBONES.names:
        backbone = cast("Backbone", BACKBONES.factory(settings.name)(settings, size=size))
    else:
        from radcap.vision.backbones.timm_networks import make_timm

        backbone = make_timm(settings, size=size, pretrained=settings.weights == "timm")
    if weights:
        load_weights(backbone, settings)
    return backbone


def _bare(settings: BackboneSettings) -> BackboneSettings:
    """The settings of the same network before it has weights."""
    from radcap.vision.backbones.weights import PUBLISHED

    if settings.name in PUBLISHED and not settings.geometry:
        return settings  # only the published folder says what the network is
    return replace(settings, weights="none", part=tuple(map(_bare, settings.part)))
