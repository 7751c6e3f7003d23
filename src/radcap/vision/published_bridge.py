"""A published Q-Former as a bridge: BLIP-2's, or InstructBLIP's, whose queries read an instruction too.

Invariant: every number comes from the modules of transformers. Where nothing is asked, the instruction is
empty: the marks of its tokenizer alone.
"""

# transformers is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from radcap.core import InputError
from radcap.vision.bridge import AnyBridge
from radcap.vision.settings import BridgeSettings
from radcap.vision.transformers_library import open_transformers, quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Asked", "PublishedBridge", "drawn_bridge", "tower_tokens"]

_CLASSES = {"blip_2_qformer": "Blip2QFormer", "instructblip_qformer": "InstructBlipQFormer"}
_DROPPED = ("architectures", "auto_map", "dtype", "quantization_config", "transformers_version")


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """An instruction for each row: tokens of the Q-Former, and which of them count; n x t each."""

    tokens: torch.Tensor
    there: torch.Tensor


class PublishedBridge(AnyBridge):
    """`queries` may stand in a larger model, as the Q-Former does; `seen` is the width of the map.

    `empty` are the tokens of an empty instruction, for a Q-Former that reads one.
    """

    def __init__(
        self,
        qformer: Any,  # noqa: ANN401 - transformers' own
        queries: nn.Parameter,
        seen: int,
        *,
        empty: tuple[int, ...] = (),
        grid: int = 0,
    ) -> None:
        super().__init__(BridgeSettings(queries=queries.shape[1], grid=grid), qformer.config.hidden_size)
        self.qformer: Any = qformer
        self.queries = queries
        self.reads = hasattr(qformer, "embeddings")
        self.channels: int = qformer.config.encoder_hidden_size
        self.before = seen // self.channels - 1
        self.ask_nothing(empty)

    def ask_nothing(self, empty: tuple[int, ...]) -> None:
        """What an empty instruction is."""
        self.empty = empty
        config = {key: one for key, one in self.qformer.config.to_dict().items() if key not in _DROPPED}
        geometry = json.dumps({"config": config, "empty": list(empty)}, sort_keys=True)
        self.settings = replace(self.settings, geometry=geometry)

    def forward(self, features: torch.Tensor, asked: Asked | None = None) -> torch.Tensor:
        sequence = tower_tokens(self.pooled(features), self.channels)
        queries = self.queries.expand(len(features), -1, -1)
        told = self.qformer(
            query_embeds=queries,
            encoder_hidden_states=sequence,
            return_dict=True,
            **self._instruction(queries, asked),
        )
        return told.last_hidden_state[:, : queries.shape[1]].transpose(1, 2)[..., None]

    def readings(self) -> Sequence[nn.Module]:
        return [layer.attention for layer in self.qformer.encoder.layer]

    def lookings(self) -> Sequence[nn.Module]:
        return [layer.crossattention for layer in self.qformer.encoder.layer if layer.has_cross_attention]

    def _instruction(self, queries: torch.Tensor, asked: Asked | None) -> dict[str, torch.Tensor]:
        if not self.reads:
            return {}
        if asked is None:
            tokens = torch.tensor([self.empty], dtype=torch.long, device=queries.device)
            tokens = tokens.expand(len(queries), -1)
            asked = Asked(tokens, torch.ones_like(tokens, dtype=torch.bool))
        there = torch.cat([asked.there.new_ones(queries.shape[:2]), asked.there], dim=1)
        return {"input_ids": asked.tokens, "attention_mask": there.long()}


def tower_tokens(features: torch.Tensor, channels: int) -> torch.Tensor:
    """A map of a tower (its places' channels, then those of each token, which all places repeat) as a row:
    the tokens, then the places, n x entries x channels."""
    rows = features.flatten(2).transpose(1, 2)
    places, tokens = rows[..., :channels], rows[..., channels:].mean(dim=1)
    return torch.cat([tokens.unflatten(-1, (-1, channels)), places], dim=1) if tokens.shape[-1] else places


def drawn_bridge(settings: BridgeSettings, seen: int) -> PublishedBridge:
    """The Q-Former of a geometry, before it has its weights."""
    transformers = open_transformers("A published Q-Former is built by it.", "lm")
    try:
        held = json.loads(settings.geometry)
        name = _CLASSES[held["config"]["model_type"]]
        config = getattr(transformers, f"{name}Config")(**held["config"])
        empty = tuple(int(one) for one in held["empty"])
        with quiet(transformers):
            qformer = getattr(transformers, f"{name}Model")._from_config(config, attn_implementation="sdpa")
    except Exception as error:  # each configuration has checks of its own
        raise InputError(
            "[head.bridge] geometry is not what radcap writes there. Get the model again, or delete geometry."
        ) from error
    queries = nn.Parameter(torch.zeros(1, settings.queries, config.hidden_size))
    return PublishedBridge(qformer, queries, seen, empty=empty, grid=settings.grid)
