"""Layers of LSTM or GRU cells, over a whole caption at once or word by word.

Invariant: both ways use the same weights and give the same; what they hold is one flat tuple, layer after
layer, of h (GRU) or h and c (LSTM), each n x width.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Cells", "Hidden"]

Hidden: TypeAlias = tuple[torch.Tensor, ...]


class Cells(nn.Module):
    """`inside` numbers go in for each word; `parts` states are held by a layer."""

    def __init__(self, settings: DecoderSettings, inside: int) -> None:
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU}[settings.kind]
        self.parts = 2 if settings.kind == "lstm" else 1
        self.layers, self.rate = settings.layers, settings.drop
        rate = settings.drop if settings.layers > 1 else 0.0  # it is for what goes from layer to layer
        self.kernel = kind(inside, settings.width, settings.layers, batch_first=True, dropout=rate)
        self.first = nn.Linear(settings.width, settings.layers * self.parts * settings.width)
        self._remember()

    def begin(self, view: torch.Tensor) -> Hidden:
        """What is held before the first word: it has seen this vector."""
        return self.first(view).tanh().chunk(self.layers * self.parts, -1)

    def forward(self, values: torch.Tensor, hidden: Hidden) -> torch.Tensor:
        """What the last layer gives for each word, n x t x width, by the kernel that torch has for it."""
        states = [torch.stack(hidden[part :: self.parts]) for part in range(self.parts)]
        return self.kernel(values, tuple(states) if self.parts > 1 else states[0])[0]

    def advance(self, value: torch.Tensor, hidden: Hidden) -> Hidden:
        """What is held one word later."""
        held: list[torch.Tensor] = []
        for layer, weights in enumerate(self.kernel.all_weights):
            before = hidden[layer * self.parts : (layer + 1) * self.parts]
            if layer:
                value = F.dropout(value, self.rate, self.training)
            if self.parts > 1:
                held += torch.lstm_cell(value, before, *weights)
            else:
                held.append(torch.gru_cell(value, before[0], *weights))
            value = held[-self.parts]
        return tuple(held)

    def top(self, hidden: Hidden) -> torch.Tensor:
        """What the last layer gives."""
        return hidden[-self.parts]

    @torch.no_grad()
    def _remember(self) -> None:
        """An LSTM begins by keeping what it holds: the bias of its forget gates is 1 (Jozefowicz, 2015)."""
        if self.parts > 1:
            for _, _, bias, other in self.kernel.all_weights:
                _, gate, _, _ = bias.chunk(4)
                gate.fill_(1)
                other.zero_()
