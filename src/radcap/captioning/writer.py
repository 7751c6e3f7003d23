"""From what an image looks like to the words: the memory, and the decoder over it.

Invariant: a memory begins with one vector that is always there, so a writer can learn from text alone, and
where nothing is told it still has something to look at.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.captioning.decoders import Memory
from radcap.vision.places import place_sines

if TYPE_CHECKING:
    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import ConditionSettings
    from radcap.vision.bridge import AnyBridge

__all__ = ["AnyWriter", "Writer"]

_IMAGE, _CONCEPT, _WORD = 0, 1, 2
_SPREAD = 0.02


class AnyWriter(nn.Module):
    """A decoder over memories; how a memory is made is a matter of its kind.

    `pad` fills up words that are told. The image is pooled to `grid` x `grid` places, if that is not 0;
    `always` entries of a memory come before those. Where there is a bridge, its queries are told in place of
    the places of the map.
    """

    always = 1

    def __init__(self, decoder: Decoder, *, pad: int, grid: int = 0, bridge: AnyBridge | None = None) -> None:
        super().__init__()
        self.decoder = decoder
        self.pad, self.grid = pad, grid
        self.bridge = bridge

    def forward(
        self,
        features: torch.Tensor | None,
        tokens: torch.Tensor,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        seen: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Logits of the token after each; `seen` is what `bridged` gave, where that is known."""
        memory = self.memory(features, concepts, words, rows=len(tokens), seen=seen)
        return self.decoder(memory, tokens).float()

    def memory(
        self,
        features: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
        seen: torch.Tensor | None = None,
    ) -> Memory:
        """All that is known of each row."""
        if features is not None and seen is None:
            seen = self.bridged(features)
        return self.told(seen, concepts, words, rows=rows)

    def bridged(self, features: torch.Tensor) -> torch.Tensor:
        """The map that words and heads look at: that of the image, or the queries that looked at it."""
        return features if self.bridge is None else self.bridge(features)

    def told(
        self,
        seen: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
    ) -> Memory:
        """As `memory`, over a map that is bridged already."""
        raise NotImplementedError

    def own_weights(self) -> dict[str, torch.Tensor]:
        """What is kept with a captioner: of the decoder its own weights alone."""
        inner = "decoder."
        held = {name: value for name, value in self.state_dict().items() if not name.startswith(inner)}
        return held | {f"{inner}{name}": value for name, value in self.decoder.own_weights().items()}

    def settle(self, condition: ConditionSettings, *, reads: bool) -> None:
        """Weights that have no part in what is told do not learn; `reads` where text alone is read too."""

    def merge(self) -> None:
        """Make what was learnt beside the weights a part of them, once, before answering."""
        self.decoder.merge()

    def pooled(self, features: torch.Tensor) -> torch.Tensor:
        """A feature map at the grid."""
        if self.grid and features.shape[-1] > self.grid:
            return F.adaptive_avg_pool2d(features, self.grid)
        return features


class Writer(AnyWriter):
    """`seen` is the width of a feature map, `labels` the number of concepts that can be told."""

    def __init__(
        self,
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int = 0,
        bridge: AnyBridge | None = None,
    ) -> None:
        super().__init__(decoder, pad=pad, grid=grid, bridge=bridge)
        width, told = decoder.width, seen if bridge is None else bridge.width
        self.look = nn.Sequential(nn.LayerNorm(told), nn.Linear(told, width), nn.LayerNorm(width))
        self.concepts = nn.Embedding(max(labels, 1), width)
        self.kinds = nn.Parameter(torch.randn(3, width) * _SPREAD)
        self.nothing = nn.Parameter(torch.randn(1, 1, width) * _SPREAD)
        nn.init.normal_(self.concepts.weight, std=1.0)

    def told(
        self,
        seen: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
    ) -> Memory:
        values = [self.nothing.expand(rows, 1, -1)]
        there = [torch.ones(rows, 1, dtype=torch.bool, device=self.nothing.device)]
        if seen is not None:
            image = self._image(seen)
            values.append(image)
            there.append(torch.ones(image.shape[:2], dtype=torch.bool, device=image.device))
        if concepts is not None:
            values.append(self.concepts(concepts.clamp(min=0)) + self.kinds[_CONCEPT])
            there.append(concepts >= 0)
        if words is not None:
            values.append(self.decoder.embed(words) + self.kinds[_WORD])
            there.append(words != self.pad)
        return Memory(torch.cat(values, dim=1), torch.cat(there, dim=1))

    def _image(self, seen: torch.Tensor) -> torch.Tensor:
        """A map as a row of vectors that know their place; queries have none."""
        shown = self.pooled(seen) if self.bridge is None else seen
        vectors = self.look(shown.flatten(2).transpose(1, 2))
        if self.bridge is None:
            height, width = shown.shape[-2:]
            vectors = vectors + place_sines(height, width, vectors)
        return vectors + self.kinds[_IMAGE]
