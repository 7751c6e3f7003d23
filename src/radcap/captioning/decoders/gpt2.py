"""GPT-2 with cross-attention, taken apart: norms stand before the parts of a layer.

Invariant: every number comes from the modules of transformers, so whatever is put beside them (low-rank
weights) counts.
"""

# torch is typed in part, transformers hardly
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from radcap.captioning.decoders.woven import Block, Pair

__all__ = ["Gpt2Text"]

_ALIGNED = 8
_PADDED = {"cuda"}  # devices that multiply odd numbers of rows slowly

# transformers writes out the approximation step by step, which costs eight kernels and their memory
_QUICK = dict.fromkeys(("gelu_new", "gelu_fast", "gelu_pytorch_tanh"), partial(F.gelu, approximate="tanh"))


@dataclass(frozen=True, slots=True, eq=False)
class Gpt2Block:
    """`layer` is a `GPT2Block`."""

    layer: Any
    act: Callable[[torch.Tensor], torch.Tensor]

    def own(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.layer.attn.c_attn(self.layer.ln_1(x)).chunk(3, -1)

    def read(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        attention = self.layer.attn
        return x + attention.resid_dropout(attention.c_proj(view))

    def ask(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer.crossattention.q_attn(self.layer.ln_cross_attn(x))

    def see(self, memory: torch.Tensor) -> Pair:
        return self.layer.crossattention.c_attn(memory).chunk(2, -1)

    def look(self, x: torch.Tensor, view: torch.Tensor) -> torch.Tensor:
        attention = self.layer.crossattention
        return x + attention.resid_dropout(attention.c_proj(view))

    def think(self, x: torch.Tensor) -> torch.Tensor:
        mlp = self.layer.mlp
        return x + mlp.dropout(mlp.c_proj(self.act(mlp.c_fc(self.layer.ln_2(x)))))


class Gpt2Text:
    """`model` is a `GPT2LMHeadModel`."""

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - transformers' own
        config, body = model.config, model.transformer
        self.model = model
        self.kind: torch.dtype = model.dtype
        self.heads: int = config.num_attention_heads
        self.sees: int = config.hidden_size
        self.places: int = config.max_position_embeddings
        self.drop: float = config.attn_pdrop
        quick = _QUICK.get(config.activation_function)
        self.blocks: Sequence[Block] = [Gpt2Block(layer, quick or layer.mlp.act) for layer in body.h]
        self.scales: Sequence[float] = [layer.attn.scaling for layer in body.h]

    def words(self, tokens: torch.Tensor, first: int, last: int) -> torch.Tensor:
        body = self.model.transformer
        return body.drop(body.wte(tokens) + body.wpe.weight[first:last])

    def vectors(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.model.transformer.wte(tokens)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        head, x = self.model.lm_head, self.model.transformer.ln_f(x)
        # 50,257 rows are an odd number, which multiplies at a third of the speed
        spare = -head.out_features % _ALIGNED
        is_plain = type(head) is nn.Linear  # or low-rank weights stand beside it
        if not spare or not is_plain or x.device.type not in _PADDED:
            return head(x)
        return F.linear(x, F.pad(head.weight, (0, 0, 0, spare)))
