"""What a decoder is, and how one is had by its kind.

Invariant: `step` after step gives the logits that `forward` gives at once (to rounding), for the price of one
token each; a state knows its rows, and `take` keeps some of them, in any order and number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import torch
from torch import nn

from radcap.captioning.blocks import DECODERS

if TYPE_CHECKING:
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Decoder", "State", "make_decoder"]


class State(Protocol):
    """All that a decoder knows of the captions it is writing."""

    def take(self, rows: torch.Tensor) -> State: ...
    def within(self, rows: torch.Tensor) -> State:
        """The same, where captions change places with those of their own image alone."""
        ...


class Decoder(nn.Module):
    """Writes over memories of its own width; `size` is that of the vocabulary."""

    width: int
    size: int

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of the token after each, n x t x size; `tokens` (n x t) begin with the begin mark."""
        raise NotImplementedError

    def begin(self, memory: Memory, longest: int) -> State:
        """The state before the first token; no more than `longest` tokens will be asked for."""
        raise NotImplementedError

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        """Logits (n x size) of the token after these (n), and the state that follows."""
        raise NotImplementedError

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        """The vectors of tokens, for words that are part of a memory: n x t x width."""
        raise NotImplementedError

    def own_weights(self) -> dict[str, torch.Tensor]:
        """What is kept with a captioner: all weights, unless most of them are had from elsewhere."""
        return self.state_dict()

    def merge(self) -> None:
        """Make what was learnt beside the weights a part of them, once, before answering."""


def make_decoder(settings: DecoderSettings, size: int) -> Decoder:
    """The decoder of a kind over a vocabulary of this size."""
    return cast("Decoder", DECODERS.factory(settings.kind)(settings, size))
