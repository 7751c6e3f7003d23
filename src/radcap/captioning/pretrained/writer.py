"""From what a published tower sees to what its text side is told, as the published model does it.

Invariant: a memory is the tower's tokens and places, projected where the model projects them, and nothing
else where nothing is told. Concepts and words of a prompt stand behind it: they are radcap's, and learnt.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.captioning.decoders import Memory
from radcap.captioning.settings import CONCEPTS
from radcap.captioning.writer import AnyWriter
from radcap.vision.published_bridge import tower_tokens

if TYPE_CHECKING:
    from radcap.captioning.decoders import Decoder
    from radcap.captioning.settings import ConditionSettings

__all__ = ["PretrainedWriter"]

_SPREAD = 0.02
_THEIRS = ("decoder.", "project.")  # parts of the published model
_CONCEPT, _WORD = 0, 1


class PretrainedWriter(AnyWriter):
    """`seen` is the width of a feature map: the places' own channels, then those of each token."""

    def __init__(
        self,
        decoder: Decoder,
        seen: int,
        labels: int,
        *,
        pad: int,
        grid: int = 0,
        project: nn.Linear | None = None,
    ) -> None:
        super().__init__(decoder, pad=pad, grid=grid)
        width, words = decoder.width, decoder.embed(torch.zeros(1, 1, dtype=torch.long)).shape[-1]
        self.channels = width if project is None else project.in_features
        self.always = seen // self.channels - 1
        self.project = nn.Identity() if project is None else project
        self.concepts = nn.Embedding(max(labels, 1), width)
        self.kinds = nn.Parameter(torch.zeros(2, width))
        self.nothing = nn.Parameter(torch.zeros(1, 1, width))
        self.say = nn.Identity() if words == width else nn.Linear(words, width)
        nn.init.normal_(self.concepts.weight, std=_SPREAD)

    def told(
        self,
        seen: torch.Tensor | None,
        concepts: torch.Tensor | None = None,
        words: torch.Tensor | None = None,
        *,
        rows: int,
    ) -> Memory:
        image = self.nothing.expand(rows, 1, -1) if seen is None else self._seen(seen)
        values, there = [image], [torch.ones(image.shape[:2], dtype=torch.bool, device=image.device)]
        if concepts is not None:
            values.append(self.concepts(concepts.clamp(min=0)) + self.kinds[_CONCEPT])
            there.append(concepts >= 0)
        if words is not None:
            values.append(self.say(self.decoder.embed(words)) + self.kinds[_WORD])
            there.append(words != self.pad)
        if len(values) == 1:
            return Memory(image, there[0], whole=True)
        return Memory(torch.cat(values, dim=1), torch.cat(there, dim=1))

    def own_weights(self) -> dict[str, torch.Tensor]:
        """Those that are radcap's."""
        return {name: one for name, one in self.state_dict().items() if not name.startswith(_THEIRS)}

    def settle(self, condition: ConditionSettings, *, reads: bool) -> None:
        tells_words = bool(condition.prompt or condition.neighbours)
        tells_concepts = condition.concepts != "none" and CONCEPTS not in condition.prompt
        self.concepts.requires_grad_(tells_concepts)
        self.say.requires_grad_(tells_words)
        self.kinds.requires_grad_(tells_concepts or tells_words)
        self.nothing.requires_grad_(reads)

    def _seen(self, features: torch.Tensor) -> torch.Tensor:
        """The tower's tokens, then the places."""
        return self.project(tower_tokens(self.pooled(features), self.channels))
