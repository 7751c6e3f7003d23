"""A decoder with the memory beside it: each layer reads the words so far, then looks at the memory.

Vaswani and others (2017), with norms before the parts of a layer and not after. Invariant: what is not there
in the memory is looked at by nothing. A state is used up by the step that is made from it: both write to the
same past.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import torch

from radcap.captioning.decoders.layered import Layered

if TYPE_CHECKING:
    from radcap.captioning.decoders.decoder import State
    from radcap.captioning.decoders.layers import Sight
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Transformer", "TransformerState", "make_transformer"]


@dataclass(frozen=True, slots=True, eq=False)
class TransformerState:
    """Keys and values of the words so far, in room for all, and what each layer sees of the memory."""

    past: torch.Tensor
    sights: tuple[Sight, ...]
    done: int = 0

    def take(self, rows: torch.Tensor) -> TransformerState:
        sights = tuple(sight.take(rows) for sight in self.sights)
        return TransformerState(self.past.index_select(0, rows), sights, self.done)

    def within(self, rows: torch.Tensor) -> TransformerState:
        """What is seen of an image, all of its captions see alike."""
        return TransformerState(self.past.index_select(0, rows), self.sights, self.done)


class Transformer(Layered):
    """Layers that look: 3,696,336 weights as set, for 2,000 tokens."""

    def __init__(self, settings: DecoderSettings, size: int) -> None:
        super().__init__(settings, size, looks=True)

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        x = self.drop(self.placed(tokens))
        return self.words.logits(self.stack(x, None, self._sights(memory)))

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> TransformerState:
        past = self.stack.no_past(len(memory), self.places.checked(longest))
        return TransformerState(past, self._sights(memory))

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, TransformerState]:
        before = cast("TransformerState", state)
        x = self.drop(self.placed(tokens[:, None], before.done))
        x = self.stack.resume(x, before.past, before.done, None, before.sights)
        return self.words.logits(x[:, 0]), replace(before, done=before.done + 1)

    def _sights(self, memory: Memory) -> tuple[Sight, ...]:
        return self.stack.see(self.normed(memory), memory.there)


def make_transformer(settings: DecoderSettings, size: int) -> Transformer:
    """The decoder for the kind `transformer`."""
    return Transformer(settings, size)
