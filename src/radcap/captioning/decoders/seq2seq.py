"""A pretrained encoder-decoder language model (T5, BART, Pegasus): it reads the memory, then looks at it.

Invariant: a caption begins as the model's own texts do, whatever mark the tokenizer begins with. Entries of
the memory that are not there are seen by no other, whatever they hold, and count for no position.
"""

# torch and transformers are typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import torch

from radcap.captioning.decoders.borrowed import Borrowed, copied, in_front
from radcap.captioning.decoders.memory import Memory
from radcap.core import InputError, UsageError

if TYPE_CHECKING:
    from radcap.captioning.decoders.decoder import State

__all__ = ["Read", "Seq2SeqModel"]


class Seq2SeqModel(Borrowed):
    """Any model of transformers for sequences from sequences."""

    front: torch.Tensor

    def __init__(self, model: Any, size: int, *, own: bool = False) -> None:  # noqa: ANN401 - transformers' own
        super().__init__(model, size, own=own)
        self.register_buffer("front", torch.tensor(_first_tokens(model)), persistent=False)
        # some multiply the vectors of tokens on their way in, and leave those that are given as they are
        self.scale = float(getattr(self.encoder, "embed_scale", 1.0))

    @property
    def encoder(self) -> Any:  # noqa: ANN401 - transformers' own
        """What reads the memory."""
        return self.model.get_encoder()

    def forward(self, memory: Memory, tokens: torch.Tensor) -> torch.Tensor:
        asked = torch.cat([self._begun(len(tokens)), tokens[:, 1:]], dim=1)
        self._check_length(memory.there.shape[1], asked.shape[1])
        return self._run(self._read(memory), asked, tokens.shape[1], use_cache=False)[0]

    def begin(self, memory: Memory, longest: int) -> State:
        self._check_length(memory.there.shape[1], longest + len(self.front) - 1)
        return Read(self._read(memory))

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        before = cast("Read", state)
        is_first = before.cache is None
        asked = self._begun(len(tokens)) if is_first else tokens[:, None]
        cache = None if is_first else copied(before.cache)
        logits, cache = self._run(before.memory, asked, 1, past_key_values=cache, use_cache=True)
        return logits[:, 0], Read(before.memory, cache)

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return super().embed(tokens) * self.scale

    def _begun(self, rows: int) -> torch.Tensor:
        return self.front.expand(rows, -1)

    def _read(self, memory: Memory) -> Memory:
        """What the encoder makes of a memory."""
        front = in_front(memory, self.vectors.dtype)
        read = self.encoder(inputs_embeds=front.values, attention_mask=front.there.long(), return_dict=True)
        return Memory(read.last_hidden_state, front.there)

    def _run(self, read: Memory, asked: torch.Tensor, last: int, **more: object) -> tuple[torch.Tensor, Any]:
        """Logits of the last tokens, of the tokenizer's part of the vocabulary, and the cache."""
        done = self.model(
            encoder_outputs=(read.values,),
            attention_mask=read.there.long(),
            decoder_input_ids=asked,
            return_dict=True,
            **more,
        )
        return done.logits[:, -last:, : self.size], done.past_key_values

    def _check_length(self, entries: int, words: int) -> None:
        most = getattr(self.model.config, "max_position_embeddings", max(entries, words))
        if max(entries, words) > most:
            raise UsageError(
                f"The memory may have {entries:,} entries and the caption {words:,} tokens, and the language"
                f" model reads {most:,} of each. Shorten the prompt, the neighbours, or [generate] longest."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The memory as the encoder has read it; keys and values of all before, once there are such."""

    memory: Memory
    cache: Any = None

    def take(self, rows: torch.Tensor) -> Read:
        memory = Memory(self.memory.values[rows], self.memory.there[rows])
        if self.cache is None:
            return Read(memory)
        cache = copied(self.cache)
        cache.reorder_cache(rows)
        return Read(memory, cache)

    def within(self, rows: torch.Tensor) -> Read:
        """All captions of an image look at the same."""
        cache = copied(self.cache)
        cache.self_attention_cache.reorder_cache(rows)
        return Read(self.memory, cache)


def _first_tokens(model: Any) -> list[int]:  # noqa: ANN401 - transformers' own
    """The token that a caption begins with, and one that always follows it where there is such."""
    told = model.generation_config
    start = told.bos_token_id if told.decoder_start_token_id is None else told.decoder_start_token_id
    tokens = [start] if told.forced_bos_token_id is None else [start, told.forced_bos_token_id]
    vocabulary = model.config.vocab_size
    if not all(isinstance(one, int) and 0 <= one < vocabulary for one in tokens):
        raise InputError(
            f"The language model begins a text with the tokens {tokens}, and its tokens are 0 to"
            f" {vocabulary - 1}. Its config.json or generation_config.json is not its own: get the model"
            " again, the whole folder."
        )
    return tokens
