"""Layers of attention, for a decoder that looks at a memory beside it and for one that reads it first.

Invariant: a layer adds to its input three times at most (what it has read, what it sees, what it makes of
both) and norms what goes into each; `resume` over part after part gives what `forward` gives over the whole.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, cast

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from collections.abc import Iterator

    from radcap.captioning.settings import DecoderSettings

__all__ = ["Layer", "Sight", "Stack"]


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What one layer sees of a memory: keys and values, n x 2 x heads x m x depth.

    `there` is n x 1 x 1 x m.
    """

    entries: torch.Tensor
    there: torch.Tensor

    def take(self, rows: torch.Tensor) -> Sight:
        # Rows of one image hold the same; copying them costs 10 us a layer on a CPU, and a table would too.
        return Sight(self.entries.index_select(0, rows), self.there.index_select(0, rows))


class Reading(nn.Module):
    """Attention of entries to each other: 4 width² + 6 width weights."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.parts = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def split(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Queries, n x heads x t x depth, and keys with values, n x 2 x heads x t x depth."""
        parts = self.parts(self.norm(x)).unflatten(-1, (3, self.heads, -1)).permute(0, 2, 3, 1, 4)
        return parts[:, 0], parts[:, 1:]

    def forward(
        self, queries: torch.Tensor, entries: torch.Tensor, mask: torch.Tensor | None, *, causal: bool = False
    ) -> torch.Tensor:
        return self.out(_attended(queries, entries, mask, causal=causal))


class Looking(nn.Module):
    """Attention to a memory: 4 width² + 6 width weights."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width)
        self.parts = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def see(self, memory: torch.Tensor, there: torch.Tensor) -> Sight:
        parts = self.parts(memory).unflatten(-1, (2, self.heads, -1)).permute(0, 2, 3, 1, 4)
        return Sight(parts, there[:, None, None])

    def forward(self, x: torch.Tensor, sight: Sight) -> torch.Tensor:
        queries = self.query(self.norm(x)).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return self.out(_attended(queries, sight.entries, sight.there))


class Thinking(nn.Module):
    """Two layers for each entry alone: 2 factor width² + (factor + 3) width weights."""

    def __init__(self, width: int, factor: float, drop: float) -> None:
        super().__init__()
        inner = max(round(width * factor), 1)
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(width, inner)
        self.drop = nn.Dropout(drop)
        self.out = nn.Linear(inner, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.drop(F.gelu(self.wide(self.norm(x)))))


class Layer(nn.Module):
    """Reads, looks (where there is a memory beside it) and thinks."""

    def __init__(self, settings: DecoderSettings, *, looks: bool) -> None:
        super().__init__()
        self.reading = Reading(settings.width, settings.heads)
        self.looking = Looking(settings.width, settings.heads) if looks else None
        self.thinking = Thinking(settings.width, settings.factor, settings.drop)
        self.drop = nn.Dropout(settings.drop)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None, sight: Sight | None = None) -> torch.Tensor:
        """From nothing to all; without a mask an entry sees those before it."""
        queries, entries = self.reading.split(x)
        x = x + self.drop(self.reading(queries, entries, mask, causal=mask is None))
        return self._rest(x, sight)

    def resume(
        self, x: torch.Tensor, past: torch.Tensor, done: int, mask: torch.Tensor | None, sight: Sight | None
    ) -> torch.Tensor:
        """After `done` others, whose keys and values the past holds; it is given those of these."""
        queries, entries = self.reading.split(x)
        end = done + x.shape[1]
        past[..., done:end, :] = entries
        x = x + self.drop(self.reading(queries, past[..., :end, :], mask))
        return self._rest(x, sight)

    def _rest(self, x: torch.Tensor, sight: Sight | None) -> torch.Tensor:
        if self.looking is not None and sight is not None:
            x = x + self.drop(self.looking(x, sight))
        return x + self.drop(self.thinking(x))


class Stack(nn.Module):
    """Layers one after another and a last norm.

    With a memory beside it a layer has (8 + 2 factor) width² + (factor + 15) width weights, without one
    (4 + 2 factor) width² + (factor + 9) width.
    """

    def __init__(self, settings: DecoderSettings, *, looks: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(settings, looks=looks) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.width)
        self.shape = (settings.layers, 2, settings.heads)
        self.depth = settings.width // settings.heads
        self.apply(_start)
        self._calm((3 if looks else 2) * settings.layers)

    def see(self, memory: torch.Tensor, there: torch.Tensor) -> tuple[Sight, ...]:
        """What each layer sees of a memory beside it."""
        return tuple(one.looking.see(memory, there) for one in self._layers() if one.looking is not None)

    def forward(
        self, x: torch.Tensor, mask: torch.Tensor | None = None, sights: tuple[Sight, ...] = ()
    ) -> torch.Tensor:
        for layer, sight in zip(self._layers(), sights or repeat(None), strict=False):
            x = layer(x, mask, sight)
        return self.norm(x)

    def no_past(self, rows: int, longest: int) -> torch.Tensor:
        """Room for keys and values of so many entries a row: rows x layers x 2 x heads x longest x depth."""
        kind, device = self.norm.weight.dtype, self.norm.weight.device
        if torch.is_autocast_enabled(device.type):
            kind = torch.get_autocast_dtype(device.type)
        return torch.empty(rows, *self.shape, longest, self.depth, dtype=kind, device=device)

    def resume(
        self,
        x: torch.Tensor,
        past: torch.Tensor,
        done: int,
        mask: torch.Tensor | None = None,
        sights: tuple[Sight, ...] = (),
    ) -> torch.Tensor:
        """As `forward`, for entries that come after `done` others; the past is written to."""
        for number, (layer, sight) in enumerate(zip(self._layers(), sights or repeat(None), strict=False)):
            x = layer.resume(x, past[:, number], done, mask, sight)
        return self.norm(x)

    def _layers(self) -> Iterator[Layer]:
        return (cast("Layer", layer) for layer in self.layers)

    @torch.no_grad()
    def _calm(self, branches: int) -> None:
        """The sum of all that is added begins no larger than what it is added to."""
        for layer in self._layers():
            for part in (layer.reading, layer.looking, layer.thinking):
                if part is not None:
                    part.out.weight /= math.sqrt(branches)


def _attended(
    queries: torch.Tensor, entries: torch.Tensor, mask: torch.Tensor | None, *, causal: bool = False
) -> torch.Tensor:
    """The heads' views side by side: n x t x width."""
    views = F.scaled_dot_product_attention(queries, entries[:, 0], entries[:, 1], mask, is_causal=causal)
    return views.transpose(1, 2).flatten(2)


def _start(module: nn.Module) -> None:
    """Weights that keep the spread of what goes in."""
    if isinstance(module, nn.Linear):
        nn.init.normal_(module.weight, 0, 1 / math.sqrt(module.in_features))
        nn.init.zeros_(module.bias)
