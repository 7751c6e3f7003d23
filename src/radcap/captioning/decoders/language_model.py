"""A pretrained causal language model as a decoder: the memory is the beginning of its text.

Invariant: the model is frozen; what is learnt is LoRA beside it. Entries of the memory that are not there are
seen by no other, whatever they hold, and count for no position.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.base_models import language_model_folder
from radcap.captioning.base_models.model_folder import check_tokenizer
from radcap.captioning.base_models.pretrained import load_language_model
from radcap.captioning.decoders.decoder import Decoder, State
from radcap.captioning.decoders.lora import add_lora, lora_weights, merge_lora
from radcap.captioning.decoders.memory import Memory
from radcap.core import UsageError

if TYPE_CHECKING:
    from radcap.captioning.settings import DecoderSettings

__all__ = ["LanguageModel", "Past", "make_language_model"]


def make_language_model(settings: DecoderSettings, size: int) -> Decoder:
    """The language model that the settings name, with LoRA of their rank; `size` is its tokenizer's."""
    folder = language_model_folder(settings.model)
    model = load_language_model(folder)
    check_tokenizer(folder, size, model.config.vocab_size)
    add_lora(model, settings)
    return LanguageModel(model, size)


class LanguageModel(Decoder):
    """Any causal model of transformers."""

    def __init__(self, model: Any, size: int) -> None:  # noqa: ANN401 - transformers' own
        super().__init__()
        self.model = model
        self.width = model.config.hidden_size
        self.size = size

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        words = self.embed(tokens)
        front = _in_front(memory, words.dtype)
        there = _and_there(front.there, tokens)
        values = torch.cat([front.values, words], dim=1)
        length = tokens.shape[1]
        logits, _ = self._run(there, _positions(there), length, inputs_embeds=values, use_cache=False)
        return logits

    def begin(self, memory: Memory, longest: int) -> State:
        self._check_length(memory.there.shape[1] + longest)
        front = _in_front(memory, self._embedding().weight.dtype)
        positions = _positions(front.there)
        _, cache = self._run(front.there, positions, 1, inputs_embeds=front.values, use_cache=True)
        return Past(cache, front.there, front.there.sum(dim=1))

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        past = cast("Past", state)
        there = _and_there(past.there, tokens[:, None])
        logits, cache = self._run(
            there,
            past.position[:, None],
            1,
            input_ids=tokens[:, None],
            past_key_values=_copied(past.cache),
            use_cache=True,
        )
        return logits[:, 0], Past(cache, there, past.position + 1)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self._embedding()(tokens)

    def own_weights(self) -> dict[str, torch.Tensor]:
        """LoRA alone: the model is had from where it came from."""
        return lora_weights(self.model)

    def merge(self) -> None:
        """Nothing is trained after that."""
        merge_lora(self.model)

    def _run(
        self, there: torch.Tensor, positions: torch.Tensor, last: int, **more: object
    ) -> tuple[torch.Tensor, Any]:
        """Logits of the last tokens, of the tokenizer's part of the vocabulary, and the cache."""
        done = self.model(
            attention_mask=there.long(), position_ids=positions, logits_to_keep=last, return_dict=True, **more
        )
        return done.logits[:, -last:, : self.size], done.past_key_values

    def _embedding(self) -> Any:  # noqa: ANN401 - transformers' own
        return self.model.get_input_embeddings()

    def _check_length(self, length: int) -> None:
        most = getattr(self.model.config, "max_position_embeddings", length)
        if length > most:
            raise UsageError(
                f"The memory and the caption may have {length:,} tokens together, and the language model"
                f" reads {most:,}. Shorten the prompt, the neighbours, or [generate] longest."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Keys and values of all before, which of them count, and the position of the next token."""

    cache: Any
    there: torch.Tensor
    position: torch.Tensor

    def take(self, rows: torch.Tensor) -> Past:
        cache = _copied(self.cache)
        cache.reorder_cache(rows)
        return Past(cache, self.there[rows], self.position[rows])

    within = take


def _copied(cache: Any) -> Any:  # noqa: ANN401 - transformers' own
    """A cache grows in place: a copy grows alone, and shares the tensors both have."""
    other = copy(cache)
    other.layers = [copy(layer) for layer in cache.layers]
    return other


def _in_front(memory: Memory, dtype: torch.dtype) -> Memory:
    """What is there comes first, in its order: a first entry with nothing to look at would be no number."""
    order = torch.argsort((~memory.there).long(), dim=1, stable=True)
    there = memory.there.gather(1, order)
    values = memory.values.gather(1, order[..., None].expand_as(memory.values))
    return Memory(values.masked_fill(~there[..., None], 0.0).to(dtype), there)


def _and_there(there: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return torch.cat([there, torch.ones_like(tokens, dtype=torch.bool)], dim=1)


def _positions(there: torch.Tensor) -> torch.Tensor:
    return (there.long().cumsum(dim=1) - 1).clamp(min=0)
