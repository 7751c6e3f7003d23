"""A table of concepts that an image is compared with (KCLIP-Med of DeepLens 2025).

The image's vector attends to the concepts nearest to it, and what comes of that is compared with all of them.
A bias of each label is added to the published logit: a scaled cosine alone cannot say that a label is rare,
and BCE would spend its first epochs on that.

Invariant: logits are scale x cosine + bias; the vector an image is found by stays that of the backbone.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.heads.head import Head

if TYPE_CHECKING:
    from radcap.vision.heads.head import LabelFacts
    from radcap.vision.settings import HeadSettings

__all__ = ["LabelEmbeddingHead"]

_LARGEST = 100.0  # of the scale, as CLIP has it
_RAREST = 1e-4  # a label that is rarer begins as this one


class LabelEmbeddingHead(Head):
    """Concepts by their vectors."""

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        inner = settings.width
        self.nearest, self.heads = min(settings.nearest, labels), settings.heads
        self.drop = nn.Dropout(settings.drop)
        self.project = nn.Linear(width, inner)
        self.ask, self.key, self.value = (nn.Linear(inner, inner) for _ in range(3))
        self.join = nn.Linear(inner, inner)
        self.norm = nn.LayerNorm(inner)
        self.concepts = nn.Parameter(torch.randn(labels, inner) / inner**0.5)
        self.bias = nn.Parameter(torch.zeros(labels))
        self.log_scale = nn.Parameter(torch.tensor(-math.log(settings.temperature)))
        self.largest = max(_LARGEST, 1 / settings.temperature)  # above it there is no slope to come back by

    @torch.no_grad()
    def meet(self, facts: LabelFacts) -> None:
        """Each label begins as likely as it is frequent."""
        self.bias.copy_(torch.logit(facts.shares.float().clamp(_RAREST, 1 - _RAREST)))

    def concept_vectors(self) -> torch.Tensor:
        """The table, each concept of length 1."""
        return F.normalize(self.concepts, dim=-1)

    @property
    def scale(self) -> torch.Tensor:
        """What cosines are multiplied by."""
        return self.log_scale.clamp(max=math.log(self.largest)).exp()

    def score(self, features: torch.Tensor) -> torch.Tensor:
        image, table = self.project(self.drop(self.embed(features))), self.concept_vectors()
        near = F.linear(F.normalize(image, dim=-1), table).topk(self.nearest, dim=-1).indices
        fused = self.norm(image + self._attended(image, table[near]))
        return self.scale * F.linear(F.normalize(fused, dim=-1), table) + self.bias

    def _attended(self, image: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
        """What each image takes from the concepts near to it (n x nearest x width)."""
        asked = self._split(self.ask(image).unsqueeze(1))
        keys, values = self._split(self.key(near)), self._split(self.value(near))
        return self.join(F.scaled_dot_product_attention(asked, keys, values).flatten(1))

    def _split(self, vectors: torch.Tensor) -> torch.Tensor:
        """n x heads x vectors x width of a head."""
        n, many, width = vectors.shape
        return vectors.view(n, many, self.heads, width // self.heads).transpose(1, 2)
