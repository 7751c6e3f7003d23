"""Decoders that hold a state of fixed size: LSTM and GRU, looking at the memory once or anew for each word.

Invariant: what is not there in the memory has no share. All but the logits is done in single precision,
since a state is rounded once for each word.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import torch
from torch import nn

from radcap.captioning.decoders.additive import AdditiveAttention
from radcap.captioning.decoders.cells import Cells
from radcap.captioning.decoders.decoder import Decoder
from radcap.captioning.decoders.memory import Memory
from radcap.captioning.decoders.words import Words

if TYPE_CHECKING:
    from radcap.captioning.decoders.additive import Asked
    from radcap.captioning.decoders.cells import Hidden
    from radcap.captioning.decoders.decoder import State
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Attending", "AttendingState", "Telling", "TellingState", "make_recurrent"]

T = TypeVar("T")


def uncompiled(function: T) -> T:
    """Not to be compiled: torch has kernels of its own, and a loop would be written out word by word."""
    return cast("T", torch.compiler.disable(function))


@dataclass(frozen=True, slots=True, eq=False)
class TellingState:
    """What the layers hold."""

    hidden: Hidden

    def take(self, rows: torch.Tensor) -> TellingState:
        return TellingState(_taken(self.hidden, rows))

    within = take


@dataclass(frozen=True, slots=True, eq=False)
class AttendingState:
    """What the layers hold, and the memory that they ask."""

    hidden: Hidden
    asked: Asked

    def take(self, rows: torch.Tensor) -> AttendingState:
        return AttendingState(_taken(self.hidden, rows), self.asked.take(rows))

    within = take


class Telling(Decoder):
    """Show and Tell (Vinyals and others, 2015): the state begins from the mean of the memory.

    Its weights: size (width + 1) + 2 width, and for an LSTM layers x (10 width² + 10 width), for a GRU layers
    x (7 width² + 7 width).
    """

    def __init__(self, settings: DecoderSettings, size: int, inside: int = 1) -> None:
        """`inside` vectors go into the cells for each word."""
        super().__init__()
        self.width, self.size = settings.width, size
        self.words = Words(size, settings.width)
        self.entry = nn.LayerNorm(settings.width)  # so that the scale of the memory does not matter
        self.cells = Cells(settings, inside * settings.width)
        self.drop = nn.Dropout(settings.drop)

    @uncompiled
    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        with torch.autocast(tokens.device.type, enabled=False):
            hidden = self.cells.begin(self.normed(memory).mean())
            values = self.cells(self.drop(self.words(tokens)), hidden)
        return self.words.logits(self.drop(values))

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> State:  # noqa: ARG002 - a state has room for any
        with torch.autocast(memory.values.device.type, enabled=False):
            return TellingState(self.cells.begin(self.normed(memory).mean()))

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        hidden = cast("TellingState", state).hidden
        with torch.autocast(tokens.device.type, enabled=False):
            hidden = self.cells.advance(self.drop(self.words(tokens)), hidden)
        return self.words.logits(self.drop(self.cells.top(hidden))), TellingState(hidden)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.words(tokens)

    def normed(self, memory: Memory) -> Memory:
        """The memory as it comes in."""
        return Memory(self.entry(memory.held().float()), memory.there)


class Attending(Telling):
    """Show, Attend and Tell (Xu and others, 2015): for each word the last state asks the memory.

    Beside those of `Telling` it has 5 width² + 3 width weights, and 4 (LSTM) or 3 (GRU) width² more in the
    first layer.
    """

    def __init__(self, settings: DecoderSettings, size: int) -> None:
        super().__init__(settings, size, inside=2)
        self.attention = AdditiveAttention(settings.width)
        self.joint = nn.Linear(3 * settings.width, settings.width)

    @uncompiled
    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        with torch.autocast(tokens.device.type, enabled=False):
            words, state = self.drop(self.words(tokens)), self._begin(memory)
            tops, views = self._followed(words, state)
            values = self._joined(tops, views, words)
        return self.words.logits(self.drop(values))

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> State:  # noqa: ARG002 - a state has room for any
        with torch.autocast(memory.values.device.type, enabled=False):
            return self._begin(memory)

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        before = cast("AttendingState", state)
        with torch.autocast(tokens.device.type, enabled=False):
            word = self.drop(self.words(tokens))
            view, after = self._advanced(word, before)
            value = self._joined(self.cells.top(after.hidden), view, word)
        return self.words.logits(self.drop(value)), after

    def _begin(self, memory: Memory) -> AttendingState:
        normed = self.normed(memory)
        return AttendingState(self.cells.begin(normed.mean()), self.attention.see(normed))

    def _followed(self, words: torch.Tensor, state: AttendingState) -> tuple[torch.Tensor, torch.Tensor]:
        """The last layer and the views of the memory, word after word: n x t x width each."""
        tops: list[torch.Tensor] = []
        views: list[torch.Tensor] = []
        for word in words.unbind(1):
            view, state = self._advanced(word, state)
            tops.append(self.cells.top(state.hidden))
            views.append(view)
        return torch.stack(tops, 1), torch.stack(views, 1)

    def _advanced(self, word: torch.Tensor, state: AttendingState) -> tuple[torch.Tensor, AttendingState]:
        view = self.attention(self.cells.top(state.hidden), state.asked)
        hidden = self.cells.advance(torch.cat([word, view], -1), state.hidden)
        return view, AttendingState(hidden, state.asked)

    def _joined(self, top: torch.Tensor, view: torch.Tensor, word: torch.Tensor) -> torch.Tensor:
        """All that speaks for the next word, as the paper's deep output has it."""
        return torch.tanh(self.joint(torch.cat([top, view, word], -1)))


def make_recurrent(settings: DecoderSettings, size: int) -> Telling:
    """The decoder for the kinds `lstm` and `gru`."""
    return Attending(settings, size) if settings.attention else Telling(settings, size)


def _taken(hidden: Hidden, rows: torch.Tensor) -> Hidden:
    return tuple(part.index_select(0, rows) for part in hidden)
