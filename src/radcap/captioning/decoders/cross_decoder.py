"""Any text decoder of transformers with cross-attention, by its own forward and caches.

GPT-2 and those like BERT go the quicker way of `woven`. Invariant: a caption's cache is its own; what is
computed of a memory is computed once, and copied only where captions of other images come into its row.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.decoders.bert import BertText
from radcap.captioning.decoders.borrowed import copied
from radcap.captioning.decoders.decoder import Decoder
from radcap.captioning.decoders.gpt2 import Gpt2Text
from radcap.captioning.decoders.memory import Memory
from radcap.captioning.decoders.woven import Woven
from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.captioning.decoders.decoder import State
    from radcap.captioning.decoders.woven import Text

__all__ = ["CrossDecoder", "CrossState", "cross_decoder"]

_TEXTS: dict[str, Callable[[Any], Text]] = {
    "GPT2LMHeadModel": Gpt2Text,
    "BertLMHeadModel": BertText,
    "BlipTextLMHeadModel": BertText,
}


def cross_decoder(model: Any, size: int, sees: int) -> Decoder:  # noqa: ANN401 - transformers' own
    """The quickest way there is to write with a model; `sees` is the width of a memory."""
    made = _TEXTS.get(type(model).__name__)
    return CrossDecoder(model, size, sees) if made is None else Woven(model, made(model), size)


class CrossDecoder(Decoder):
    """`model` is a causal language model that was built with cross-attention."""

    def __init__(self, model: Any, size: int, sees: int) -> None:  # noqa: ANN401 - transformers' own
        super().__init__()
        self.model = model
        self.width, self.size = sees, size

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        there = torch.ones_like(tokens)  # or a model would guess which tokens are pads
        return self._run(memory, tokens, attention_mask=there, use_cache=False).logits[..., : self.size]

    @torch.no_grad()
    def begin(self, memory: Memory, longest: int) -> CrossState:
        most = getattr(self.model.config, "max_position_embeddings", longest)
        if longest > most:
            raise UsageError(
                f"{longest} tokens are asked for, and the published decoder knows texts of {most}. Give less"
                " as [generate] longest."
            )
        return CrossState(memory)

    @torch.no_grad()
    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, CrossState]:
        before = cast("CrossState", state)
        there = torch.ones(len(tokens), before.done + 1, dtype=torch.long, device=tokens.device)
        cache = None if before.cache is None else copied(before.cache)
        told = self._run(
            before.memory, tokens[:, None], attention_mask=there, past_key_values=cache, use_cache=True
        )
        after = CrossState(before.memory, told.past_key_values, before.done + 1)
        return told.logits[:, 0, : self.size], after

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model.get_input_embeddings()(tokens)

    def _run(self, memory: Memory, tokens: torch.Tensor, **more: object) -> Any:  # noqa: ANN401 - as above
        return self.model(
            input_ids=tokens,
            encoder_hidden_states=memory.held(),
            encoder_attention_mask=memory.there.long(),
            return_dict=True,
            **more,
        )


@dataclass(frozen=True, slots=True, eq=False)
class CrossState:
    """The memory of each row, and all that is known of the tokens before."""

    memory: Memory
    cache: Any = None
    done: int = 0

    def take(self, rows: torch.Tensor) -> CrossState:
        held = self.memory
        memory = Memory(held.values[rows], held.there[rows], held.whole)
        return replace(self, memory=memory, cache=_reordered(self.cache, rows))

    def within(self, rows: torch.Tensor) -> CrossState:
        """All rows of an image see it alike."""
        cache = self.cache
        if cache is not None:
            cache = copy(cache)
            cache.self_attention_cache = _reordered(cache.self_attention_cache, rows)
        return replace(self, cache=cache)


def _reordered(cache: Any, rows: torch.Tensor) -> Any:  # noqa: ANN401 - transformers' own
    if cache is None:
        return None
    cache = copied(cache)
    cache.reorder_cache(rows)
    return cache
