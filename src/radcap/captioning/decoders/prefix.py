"""A decoder that reads the memory first, and its own words after it, in one row.

As CSIRO MedICap (2023) puts the image before the words of a language model: there is one kind of attention.
Invariant: an entry of the memory sees all that is there of the memory and no word; a word sees that and the
words up to itself; what is not there is seen by nothing and takes no place. A state is used up by the step
that is made from it: both write to the same past.
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
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.settings import DecoderSettings

__all__ = ["Prefix", "PrefixState", "make_prefix"]


@dataclass(frozen=True, slots=True, eq=False)
class PrefixState:
    """Keys and values of memory and words, in room for all, and which may be seen (n x 1 x 1 x all)."""

    past: torch.Tensor
    there: torch.Tensor
    entries: int  # of the memory
    done: int = 0  # words

    def take(self, rows: torch.Tensor) -> PrefixState:
        return replace(self, past=self.past.index_select(0, rows), there=self.there.index_select(0, rows))

    within = take


class Prefix(Layered):
    """Layers that only read: 2,905,296 weights as set, for 2,000 tokens."""

    def __init__(self, settings: DecoderSettings, size: int) -> None:
        super().__init__(settings, size, looks=False)

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        x = self.drop(torch.cat([self.normed(memory), self.placed(tokens)], 1))
        values = self.stack(x, _mask(memory.there, tokens.shape[1]))
        return self.words.logits(values[:, memory.there.shape[1] :])

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> PrefixState:
        entries = memory.there.shape[1]
        past = self.stack.no_past(len(memory), entries + self.places.checked(longest))
        there = _open(memory.there, longest)
        self.stack.resume(self.drop(self.normed(memory)), past, 0, there[..., :entries])
        return PrefixState(past, there, entries)

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, PrefixState]:
        before = cast("PrefixState", state)
        place = before.entries + before.done
        x = self.drop(self.placed(tokens[:, None], before.done))
        x = self.stack.resume(x, before.past, place, before.there[..., : place + 1])
        return self.words.logits(x[:, 0]), replace(before, done=before.done + 1)


def make_prefix(settings: DecoderSettings, size: int) -> Prefix:
    """The decoder for the kind `prefix`."""
    return Prefix(settings, size)


def _open(there: torch.Tensor, words: int) -> torch.Tensor:
    """What of memory and words may be seen at all: n x 1 x 1 x all."""
    return torch.cat([there, there.new_ones(len(there), words)], 1)[:, None, None]


def _mask(there: torch.Tensor, words: int) -> torch.Tensor:
    """Who sees whom: n x 1 x all x all."""
    entries = there.shape[1]
    order = torch.arange(entries + words, device=there.device)
    # A word comes after all of the memory, and every entry of that stands where the last of them does.
    seen = order <= order.clamp(min=entries - 1)[:, None]
    return seen & _open(there, words)
