"""What decoders made of somebody else's language model have in common.

Invariant: a model that a folder holds is frozen, what is learnt is LoRA beside it, and that alone is kept;
where the model learns as a whole, all of it is.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from copy import copy
from typing import Any

import torch

from radcap.captioning.decoders.decoder import Decoder
from radcap.captioning.decoders.lora import lora_weights, merge_lora
from radcap.captioning.decoders.memory import Memory

__all__ = ["Borrowed", "copied", "in_front"]


class Borrowed(Decoder):
    """A model of transformers under a tokenizer of `size` tokens."""

    model: Any

    def __init__(self, model: Any, size: int, *, own: bool = False) -> None:  # noqa: ANN401 - transformers' own
        """`own` where no folder holds its weights, or they learn."""
        super().__init__()
        self.model = model
        self.own = own
        self.width = int(self.vectors.shape[1])
        self.size = size

    @property
    def vectors(self) -> torch.Tensor:
        """Of its tokens."""
        return self.model.get_input_embeddings().weight

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model.get_input_embeddings()(tokens)

    def own_weights(self) -> dict[str, torch.Tensor]:
        """LoRA alone: the model is had from where it came from."""
        if self.own:  # each once: what comes in and what goes out may be one
            return {name: one.detach() for name, one in self.named_parameters()}
        return lora_weights(self.model)

    def merge(self) -> None:
        """Nothing is trained after that."""
        merge_lora(self.model)


def copied(cache: Any) -> Any:  # noqa: ANN401 - transformers' own
    """A cache grows in place: a copy grows alone, and shares the tensors both have."""
    other = copy(cache)
    if hasattr(cache, "layers"):
        other.layers = [copy(layer) for layer in cache.layers]
        return other
    # that of an encoder-decoder model: what was written, and what is looked at
    other.self_attention_cache = copied(cache.self_attention_cache)
    other.cross_attention_cache = copied(cache.cross_attention_cache)
    other.is_updated = dict(cache.is_updated)
    return other


def in_front(memory: Memory, dtype: torch.dtype) -> Memory:
    """What is there comes first, in its order: a first entry with nothing to look at would be no number."""
    order = torch.argsort((~memory.there).long(), dim=1, stable=True)
    there = memory.there.gather(1, order)
    values = memory.values.gather(1, order[..., None].expand_as(memory.values))
    return Memory(values.masked_fill(~there[..., None], 0.0).to(dtype), there)
