"""BERT with cross-attention, taken apart: norms stand after the parts of a layer. BLIP's text side is one.

Invariant: every number comes from the modules of transformers, so whatever is put beside them (low-rank
weights) counts.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from radcap.captioning.decoders.woven import Block, Pair

__all__ = ["BertText"]


@dataclass(frozen=True, slots=True, eq=False)
class BertBlock:
    """`layer` is a `BertLayer` or a `BlipTextLayer`."""

    layer: Any

    def own(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        attention = self.layer.attention.self
        return attention.query(x), attention.key(x), attention.value(x)

    def read(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        return self.layer.attention.output(view, x)

    def ask(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer.crossattention.self.query(x)

    def see(self, memory: torch.Tensor) -> Pair:
        attention = self.layer.crossattention.self
        return attention.key(memory), attention.value(memory)

    def look(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        return self.layer.crossattention.output(view, x)

    def think(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer.output(self.layer.intermediate(x), x)


class BertText:
    """`model` is a `BertLMHeadModel` or a `BlipTextLMHeadModel`."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - transformers' own
        config = model.config
        self.model = model
        self.heads: int = config.num_attention_heads
        self.sees: int = getattr(config, "encoder_hidden_size", config.hidden_size)
        self.places: int = config.max_position_embeddings
        self.drop: float = config.attention_probs_dropout_prob
        self.blocks: Sequence[Block] = [BertBlock(layer) for layer in model.bert.encoder.layer]
        self.scales: Sequence[float] = [1 / math.sqrt(config.hidden_size // self.heads)] * len(self.blocks)

    def words(self, tokens: torch.Tensor, first: int, last: int) -> torch.Tensor:
        parts = self.model.bert.embeddings
        x = parts.word_embeddings(tokens) + parts.position_embeddings.weight[first:last]
        kinds: Any = getattr(parts, "token_type_embeddings", None)  # BLIP has none
        return parts.dropout(parts.LayerNorm(x if kinds is None else x + kinds.weight[0]))

    def vectors(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model.bert.embeddings.word_embeddings(tokens)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.model.cls(x)
