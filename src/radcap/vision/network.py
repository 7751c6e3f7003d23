"""A backbone and a head as one network.

Invariant: it takes pixels from 0 to 255, n x 3 x h x w, and gives logits in the order of its labels; with
labels it gives all that a loss may look at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.backbones import make_backbone
from radcap.vision.heads import make_head

if TYPE_CHECKING:
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import Head, Taught
    from radcap.vision.settings import BackboneSettings, HeadSettings

__all__ = ["Network", "make_network"]


class Network(nn.Module):
    """What is trained, saved and asked."""

    def __init__(self, backbone: Backbone, head: Head) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = head

    def forward(self, pixels: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor | Taught:
        if labels is not None:
            return self.head.teach(self.backbone(pixels), labels)
        return self.head.score(self.backbone(pixels)).float()

    def embed(self, pixels: torch.Tensor) -> torch.Tensor:
        """One vector an image."""
        return self.head.embed(self.backbone(pixels)).float()

    def both(self, pixels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and vectors, for the price of one look."""
        features = self.backbone(pixels)
        return self.head.score(features).float(), self.head.embed(features).float()


def make_network(
    backbone: BackboneSettings, head: HeadSettings, labels: int, *, size: int, weights: bool = True
) -> Network:
    """A network for so many labels; `weights=False` where they are loaded afterwards."""
    body = make_backbone(backbone, size=size, weights=weights)
    return Network(body, make_head(head, body.width, labels))
