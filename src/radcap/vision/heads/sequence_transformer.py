"""A transformer that writes lists of concepts (DS4DH 2025, Morgan 2022).

Each layer looks back over the list, then at the image, then goes through a layer of its own; norms come
first. Invariant: keys and values of tokens that were read are held and never computed again.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.heads.head import make_layers
from radcap.vision.heads.sequence_decoders import Decoder, taken

if TYPE_CHECKING:
    from radcap.vision.settings import HeadSettings

__all__ = ["Told", "TransformerDecoder", "TransformerState"]

_WIDER = 4  # the layer between two attentions, where its width is not given


class Told(NamedTuple):
    """What may be looked at: n x heads x places x width of a head."""

    keys: torch.Tensor
    values: torch.Tensor


@dataclass(frozen=True, slots=True, eq=False)
class TransformerState:
    """For each layer the image, and the list so far (n x beams x heads x tokens x width of a head)."""

    image: tuple[Told, ...]
    lists: tuple[Told, ...]

    def take(self, rows: torch.Tensor) -> TransformerState:
        lists = (Told(taken(one.keys, rows), taken(one.values, rows)) for one in self.lists)
        return TransformerState(self.image, tuple(lists))


class Attention(nn.Module):
    """Several heads of scaled products."""

    def __init__(self, width: int, heads: int, drop: float) -> None:
        super().__init__()
        self.heads, self.drop = heads, drop
        self.ask, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.tell = nn.Linear(width, 2 * width)

    def told(self, x: torch.Tensor) -> Told:
        return Told(*(self._split(one) for one in self.tell(x).chunk(2, dim=-1)))

    def forward(self, x: torch.Tensor, told: Told, *, causal: bool = False) -> torch.Tensor:
        rate = self.drop if self.training else 0.0
        found = F.scaled_dot_product_attention(
            self._split(self.ask(x)), told.keys, told.values, dropout_p=rate, is_causal=causal
        )
        return self.out(found.transpose(1, 2).flatten(2))

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


class Layer(nn.Module):
    """Back over the list, at the image, and on."""

    def __init__(self, settings: HeadSettings) -> None:
        super().__init__()
        width, heads, drop = settings.width, settings.heads, settings.drop
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.back, self.look = (Attention(width, heads, drop) for _ in range(2))
        wide = replace(settings, hidden=settings.hidden or (_WIDER * width,))
        self.think = make_layers(wide, width, width)
        self.drop = nn.Dropout(drop)

    def forward(self, x: torch.Tensor, image: Told) -> torch.Tensor:
        """Whole lists."""
        normed = self.norms[0](x)
        return self._onward(x + self.drop(self.back(normed, self.back.told(normed), causal=True)), image)

    def step(self, x: torch.Tensor, image: Told, held: Told) -> tuple[torch.Tensor, Told]:
        """One token of each beam, after those that are held."""
        rows = self.norms[0](x).flatten(0, 1)[:, None]  # each beam has a list of its own
        pairs = zip(held, self.back.told(rows), strict=True)
        told = Told(*(torch.cat([old.flatten(0, 1), new], dim=2) for old, new in pairs))
        found = self.back(rows, told).view_as(x)
        grown = Told(*(one.unflatten(0, x.shape[:2]) for one in told))
        return self._onward(x + self.drop(found), image), grown

    def _onward(self, x: torch.Tensor, image: Told) -> torch.Tensor:
        x = x + self.drop(self.look(self.norms[1](x), image))
        return x + self.drop(self.think(self.norms[2](x)))


class TransformerDecoder(Decoder[TransformerState]):
    """Layers over tokens and their places in the list."""

    def __init__(self, settings: HeadSettings, labels: int) -> None:
        super().__init__(settings, labels)
        self.places = nn.Embedding(settings.length + 1, settings.width)
        nn.init.normal_(self.places.weight, 0, settings.width**-0.5)
        self.layers = nn.ModuleList(Layer(settings) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.width)

    def forward(self, tokens: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        x = self.drop(self.words(tokens) + self.places.weight[: tokens.shape[1]])
        for layer in self._layers():
            x = layer(x, layer.look.told(memory))
        return self.norm(x)

    def start(self, memory: torch.Tensor) -> TransformerState:
        image = tuple(layer.look.told(memory) for layer in self._layers())
        nothing = tuple(Told(one.keys[:, None, :, :0], one.values[:, None, :, :0]) for one in image)
        return TransformerState(image, nothing)

    def step(self, tokens: torch.Tensor, state: TransformerState) -> tuple[torch.Tensor, TransformerState]:
        read = state.lists[0].keys.shape[3]
        x, lists = self.drop(self.words(tokens) + self.places.weight[read]), list[Told]()
        for layer, image, held in zip(self._layers(), state.image, state.lists, strict=True):
            x, grown = layer.step(x, image, held)
            lists.append(grown)
        return self.norm(x), TransformerState(state.image, tuple(lists))

    def _layers(self) -> list[Layer]:
        return [layer for layer in self.layers if isinstance(layer, Layer)]
