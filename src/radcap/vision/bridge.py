"""Learnt queries that look at a feature map, and stand for it: a Q-Former (Li and others, 2023).

Each layer lets the queries read each other, look at the places of the map and think, with norms before the
parts. It begins with nothing; published ones stand in `published_bridge`.
Invariant: a map of any size is told in the same number of vectors, as a map of one column.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.places import place_sines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.vision.settings import BridgeSettings

__all__ = ["AnyBridge", "Bridge", "QueryAttention", "make_bridge"]


class AnyBridge(nn.Module):
    """From a feature map (n x seen x h x w) to queries that looked at it (n x width x queries x 1)."""

    before = 0  # entries that are looked at before the places

    def __init__(self, settings: BridgeSettings, width: int) -> None:
        super().__init__()
        self.settings, self.width, self.grid = settings, width, settings.grid

    def pooled(self, features: torch.Tensor) -> torch.Tensor:
        """The map at the grid."""
        if self.grid and features.shape[-1] > self.grid:
            return F.adaptive_avg_pool2d(features, self.grid)
        return features

    def readings(self) -> Sequence[nn.Module]:
        """Where queries read each other."""
        raise NotImplementedError

    def lookings(self) -> Sequence[nn.Module]:
        """Where they look at places."""
        raise NotImplementedError


class QueryAttention(nn.Module):
    """Attention of queries, to each other or to the places of an image: 4 width² + 6 width weights."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.ask = nn.Linear(width, width)
        self.tell = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, queries: torch.Tensor, places: torch.Tensor | None = None) -> torch.Tensor:
        asked = self.norm(queries)
        told = self.tell(asked if places is None else places).unflatten(-1, (2, self.heads, -1))
        keys, values = told.permute(2, 0, 3, 1, 4)
        asks = self.ask(asked).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return self.out(F.scaled_dot_product_attention(asks, keys, values).transpose(1, 2).flatten(2))


class QueryLayer(nn.Module):
    """Reads, looks and thinks: (8 + 2 factor) width² + (factor + 15) width weights."""

    def __init__(self, settings: BridgeSettings) -> None:
        super().__init__()
        width, inner = settings.width, max(round(settings.width * settings.factor), 1)
        self.reading = QueryAttention(width, settings.heads)
        self.looking = QueryAttention(width, settings.heads)
        self.thinking = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width)
        )
        self.drop = nn.Dropout(settings.drop)

    def forward(self, queries: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        queries = queries + self.drop(self.reading(queries))
        queries = queries + self.drop(self.looking(queries, places))
        return queries + self.drop(self.thinking(queries))


class Bridge(AnyBridge):
    """Our own; `seen` is the width of the map."""

    def __init__(self, settings: BridgeSettings, seen: int) -> None:
        super().__init__(settings, settings.width)
        self.entry = nn.Sequential(
            nn.LayerNorm(seen), nn.Linear(seen, settings.width), nn.LayerNorm(settings.width)
        )
        self.queries = nn.Parameter(torch.randn(settings.queries, settings.width))
        self.layers = nn.ModuleList(QueryLayer(settings) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.width)
        self._calm(3 * settings.layers)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        features = self.pooled(features)
        places = self.entry(features.flatten(2).transpose(1, 2))
        height, width = features.shape[-2:]
        places = places + place_sines(height, width, places)
        queries = self.queries.expand(len(features), -1, -1).to(places.dtype)
        for layer in self.layers:
            queries = layer(queries, places)
        return self.norm(queries).transpose(1, 2)[..., None]

    def readings(self) -> Sequence[nn.Module]:
        return [layer.get_submodule("reading") for layer in self.layers]

    def lookings(self) -> Sequence[nn.Module]:
        return [layer.get_submodule("looking") for layer in self.layers]

    @torch.no_grad()
    def _calm(self, branches: int) -> None:
        """Each part keeps the spread of what goes in; all that is added is no larger than it is added to."""
        for module in self.layers.modules():
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, 0, 1 / math.sqrt(module.in_features))
                nn.init.zeros_(module.bias)
        for layer in self.layers:
            for name in ("reading.out", "looking.out", "thinking.3"):
                layer.get_submodule(name).get_parameter("weight").div_(math.sqrt(branches))


def make_bridge(settings: BridgeSettings, seen: int) -> AnyBridge:
    """The bridge of the settings over a map of this width."""
    if not settings.geometry:
        return Bridge(settings, seen)
    from radcap.vision.published_bridge import drawn_bridge

    return drawn_bridge(settings, seen)
