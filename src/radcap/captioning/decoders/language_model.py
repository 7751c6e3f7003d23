"""A pretrained causal language model as a decoder: the memory is the beginning of its text.

Invariant: entries of the memory that are not there are seen by no other, whatever they hold, and count for no
position.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.base_models import language_model_folder
from radcap.captioning.base_models.model_folder import check_tokenizer
from radcap.captioning.base_models.pretrained import load_language_model
from radcap.captioning.decoders.borrowed import Borrowed, copied, in_front
from radcap.captioning.decoders.lora import add_lora
from radcap.captioning.decoders.seq2seq import Seq2SeqModel
from radcap.core import UsageError

if TYPE_CHECKING:
    from radcap.captioning.decoders.decoder import Decoder, State
    from radcap.captioning.decoders.memory import Memory
    from radcap.captioning.settings import DecoderSettings

__all__ = ["LanguageModel", "Past", "and_there", "make_language_model", "positions_of"]


def make_language_model(settings: DecoderSettings, size: int) -> Decoder:
    """The language model that the settings name, as it learns; `size` is its tokenizer's."""
    folder = language_model_folder(settings.model)
    model = load_language_model(folder)
    check_tokenizer(folder, size, model.config.vocab_size)
    kind = Seq2SeqModel if model.config.is_encoder_decoder else LanguageModel
    if settings.whole:
        return kind(model, size, own=True)
    add_lora(model, settings)
    return kind(model, size)


class LanguageModel(Borrowed):
    """Any causal model of transformers."""

    follows = False  # whether a caption follows the memory with no mark between

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        words = self.embed(tokens)
        front = in_front(memory, words.dtype)
        there = and_there(front.there, tokens)
        values = torch.cat([front.values, words], dim=1)
        length = tokens.shape[1]
        logits, _ = self._run(there, positions_of(there), length, inputs_embeds=values, use_cache=False)
        return logits

    def begin(self, memory: Memory, longest: int) -> State:
        self._check_length(memory.there.shape[1] + longest)
        front = in_front(memory, self.vectors.dtype)
        positions = positions_of(front.there)
        _, cache = self._run(front.there, positions, 1, inputs_embeds=front.values, use_cache=True)
        return Past(cache, front.there, front.there.sum(dim=1))

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        past = cast("Past", state)
        there = and_there(past.there, tokens[:, None])
        logits, cache = self._run(
            there,
            past.position[:, None],
            1,
            input_ids=tokens[:, None],
            past_key_values=copied(past.cache),
            use_cache=True,
        )
        return logits[:, 0], Past(cache, there, past.position + 1)

    def _run(
        self, there: torch.Tensor, positions: torch.Tensor, last: int, **more: object
    ) -> tuple[torch.Tensor, Any]:
        """Logits of the last tokens, of the tokenizer's part of the vocabulary, and the cache."""
        done = self.model(
            attention_mask=there.long(), position_ids=positions, logits_to_keep=last, return_dict=True, **more
        )
        return done.logits[:, -last:, : self.size], done.past_key_values

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
        cache = copied(self.cache)
        cache.reorder_cache(rows)
        return Past(cache, self.there[rows], self.position[rows])

    within = take


def and_there(there: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """What counts of a memory and the tokens after it."""
    return torch.cat([there, torch.ones_like(tokens, dtype=torch.bool)], dim=1)


def positions_of(there: torch.Tensor) -> torch.Tensor:
    """Of entries, by those before them that count."""
    return (there.long().cumsum(dim=1) - 1).clamp(min=0)
