"""What the two decoders of attention layers have in common.

Invariant: a memory is normed where it comes in, so that its scale does not matter; its entries have no places
of their own, words do.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from radcap.captioning.decoders.decoder import Decoder
from radcap.captioning.decoders.layers import Stack
from radcap.captioning.decoders.words import Places, Words

if TYPE_CHECKING:
    import torch

    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Layered"]

_SPREAD = 0.5  # learns captions sooner than a quarter, and than one, which begins by saying every token twice


class Layered(Decoder):
    """Words, places and layers: size (width + 1) + (longest + 6) width weights, and those of the layers."""

    def __init__(self, settings: DecoderSettings, size: int, *, looks: bool) -> None:
        super().__init__()
        self.width, self.size = settings.width, size
        self.words = Words(size, settings.width, _SPREAD)
        self.places = Places(settings.longest, settings.width, _SPREAD)
        self.entry = nn.LayerNorm(settings.width)
        self.drop = nn.Dropout(settings.drop)
        self.stack = Stack(settings, looks=looks)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.words(tokens)

    def normed(self, memory: Memory) -> torch.Tensor:
        """The memory as it comes in."""
        return self.entry(memory.held())

    def placed(self, tokens: torch.Tensor, done: int = 0) -> torch.Tensor:
        """Tokens (n x t) after `done` others as they come in."""
        return self.words(tokens) + self.places(done, done + tokens.shape[1])
