"""A causal language model whose caption follows the memory itself: the memory's last entry begins it.

So BLIP-2 writes: an image, the mark that begins a text, a prompt, and then the caption with no mark between.
Invariant: the begin mark of a caption is never read; logits after it are those after the memory.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.captioning.decoders.borrowed import in_front
from radcap.captioning.decoders.language_model import LanguageModel, Past, and_there, positions_of
from radcap.captioning.decoders.memory import Memory

if TYPE_CHECKING:
    from radcap.captioning.decoders.decoder import State

__all__ = ["Begun", "Following"]


class Following(LanguageModel):
    """Over memories of two entries or more."""

    follows = True

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        front = _at_both_ends(memory, self.vectors.dtype)
        words = tokens[:, 1:]
        there = and_there(front.there, words)
        values = torch.cat([front.values, self.embed(words)], dim=1)
        last = tokens.shape[1]
        logits, _ = self._run(there, positions_of(there), last, inputs_embeds=values, use_cache=False)
        return logits

    def begin(self, memory: Memory, longest: int) -> State:
        self._check_length(memory.there.shape[1] + longest)
        front = _at_both_ends(memory, self.vectors.dtype)
        logits, cache = self._run(
            front.there, positions_of(front.there), 1, inputs_embeds=front.values, use_cache=True
        )
        return Begun(logits[:, 0], Past(cache, front.there, front.there.sum(dim=1)))

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        if isinstance(state, Begun):
            return state.logits, state.past
        return super().step(state, tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """What the memory leads to, before the first token is chosen."""

    logits: torch.Tensor
    past: Past

    def take(self, rows: torch.Tensor) -> Begun:
        return Begun(self.logits[rows], self.past.take(rows))

    within = take


def _at_both_ends(memory: Memory, dtype: torch.dtype) -> Memory:
    """What is there comes first, but its last entry, which comes last: the caption follows it at once."""
    front = in_front(memory, dtype)
    entries = front.there.shape[1]
    order = torch.arange(entries, device=front.there.device).repeat(len(front), 1)
    last = front.there.sum(dim=1, keepdim=True) - 1
    order = order.scatter(1, last, entries - 1)
    order[:, -1] = last[:, 0]
    values = front.values.gather(1, order[..., None].expand_as(front.values))
    return Memory(values, front.there.gather(1, order))
