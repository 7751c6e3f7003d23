"""LSTM and GRU that write lists of concepts: as Show and Tell does (BMET and MAMI 2017), or with attention to
the places of the image for each concept (PRNA 2017, after Show, Attend and Tell).

Invariant: the image as a whole is read before the first token, with attention or without.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.heads.sequence_decoders import Decoder, taken

if TYPE_CHECKING:
    from radcap.vision.settings import HeadSettings

__all__ = ["Looking", "RecurrentDecoder", "RecurrentState"]


class Looking(nn.Module):
    """Additive attention (Bahdanau et al. 2015): what is held asks, the places answer by their weight."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.ask, self.tell = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        self.weigh = nn.Linear(width, 1, bias=False)

    def forward(self, asking: torch.Tensor, memory: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """n x beams x width, over the places of a memory and what they tell of themselves."""
        bent = torch.tanh(self.ask(asking)[:, :, None] + told[:, None])
        shares = torch.softmax(self.weigh(bent).squeeze(-1), dim=-1)
        return shares.to(memory.dtype) @ memory


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentState:
    """What layers hold of each beam (n x beams x layers x width; an LSTM has two of it), and the image."""

    held: tuple[torch.Tensor, ...]
    memory: torch.Tensor
    told: torch.Tensor

    def take(self, rows: torch.Tensor) -> RecurrentState:
        return RecurrentState(tuple(taken(one, rows) for one in self.held), self.memory, self.told)


class RecurrentDecoder(Decoder[RecurrentState]):
    """Layers of torch's own; with `looking` each input has beside it what is seen in the image."""

    def __init__(self, settings: HeadSettings, labels: int) -> None:
        super().__init__(settings, labels)
        width, layers = settings.width, settings.layers
        kind = nn.LSTM if settings.decoder == "lstm" else nn.GRU
        self.looking = Looking(width) if settings.attention else None
        inside = 2 * width if settings.attention else width
        between = settings.drop if layers > 1 else 0.0  # torch warns of a dropout behind the last layer
        self.cells = kind(inside, width, layers, batch_first=True, dropout=between)

    def forward(self, tokens: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        state = self.start(memory)
        if self.looking is None:
            return self.drop(self._run(self.drop(self.words(tokens)), state.held)[0])
        done: list[torch.Tensor] = []
        for column in tokens.split(1, dim=1):
            vectors, state = self.step(column, state)
            done.append(vectors)
        return torch.cat(done, dim=1)

    def start(self, memory: torch.Tensor) -> RecurrentState:
        told = memory[:, :0] if self.looking is None else self.looking.tell(memory)
        empty = memory.new_zeros(len(memory), 1, self.cells.num_layers, self.cells.hidden_size)
        held = (empty, empty) if isinstance(self.cells, nn.LSTM) else (empty,)
        return self._read(memory[:, :1], RecurrentState(held, memory, told))[1]

    def step(self, tokens: torch.Tensor, state: RecurrentState) -> tuple[torch.Tensor, RecurrentState]:
        vectors, state = self._read(self.drop(self.words(tokens)), state)
        return self.drop(vectors), state

    def _read(self, x: torch.Tensor, state: RecurrentState) -> tuple[torch.Tensor, RecurrentState]:
        """An input for each beam (n x beams x width)."""
        if self.looking is not None:
            seen = self.looking(state.held[0][:, :, -1], state.memory, state.told)
            x = torch.cat([x, seen.to(x.dtype)], dim=-1)
        done, held = self._run(x.flatten(0, 1)[:, None], state.held)
        shaped = (one.unflatten(0, x.shape[:2]) for one in held)
        return done.view(*x.shape[:2], -1), RecurrentState(tuple(shaped), state.memory, state.told)

    def _run(
        self, x: torch.Tensor, held: tuple[torch.Tensor, ...]
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Inputs (rows x tokens x width) after what is held of each row, to vectors and what is held then."""
        before = tuple(one.flatten(0, 1).transpose(0, 1).contiguous() for one in held)
        if isinstance(self.cells, nn.LSTM):
            done, (short, long) = self.cells(x, before)
            after: tuple[torch.Tensor, ...] = (short, long)
        else:
            done, short = self.cells(x, before[0])
            after = (short,)
        return done, tuple(one.transpose(0, 1) for one in after)
