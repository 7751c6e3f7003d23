"""A backbone, heads and a writer as one network.

Invariant: the top (heads and writer) sees nothing but feature maps, so it can be trained over features that
were computed once. It gives logits by task: `caption`, and one for each head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

    from radcap.captioning.writer import AnyWriter
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import Head

__all__ = ["CaptionNetwork", "Top"]


class Top(nn.Module):
    """What stands on a backbone."""

    def __init__(self, writer: AnyWriter, heads: Mapping[str, Head] | None = None) -> None:
        super().__init__()
        self.writer = writer
        self.heads = nn.ModuleDict(dict(heads or {}))

    def forward(
        self,
        features: torch.Tensor,
        tokens: torch.Tensor,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
    ) -> dict[str, torch.Tensor]:
        seen = self.writer.bridged(features) if self.heads else None
        told = {name: head(seen).float() for name, head in self.heads.items()}
        return {"caption": self.writer(features, tokens, concepts, words, seen), **told}


class CaptionNetwork(nn.Module):
    """What is trained as a whole."""

    def __init__(self, backbone: Backbone, top: Top) -> None:
        super().__init__()
        self.backbone = backbone
        self.top = top

    def forward(
        self,
        pixels: torch.Tensor,
        tokens: torch.Tensor,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
    ) -> dict[str, torch.Tensor]:
        return self.top(self.backbone(pixels), tokens, concepts, words)
