"""A network with a head, and an image before it: concepts by their logits."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch

from radcap.core import UsageError
from radcap.explanation.targets import Concept, Contrast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.explanation.lenses.frame import Frame
    from radcap.explanation.targets import Target
    from radcap.vision.backbones import Backbone
    from radcap.vision.heads import Head

__all__ = ["Headed", "HeadedNetwork", "NetworkLens"]


class HeadedNetwork(Protocol):
    """What a lens looks through: a backbone and a head over it."""

    @property
    def backbone(self) -> Backbone: ...
    @property
    def head(self) -> Head: ...


@dataclass(frozen=True, slots=True, eq=False)
class Headed:
    """A backbone and a head that belong to something else, as a network."""

    backbone: Backbone
    head: Head


@dataclass(frozen=True, slots=True, eq=False)
class NetworkLens:
    """`places` are the labels of the logits by name: CUIs, or words where the labels are words."""

    network: HeadedNetwork
    places: Mapping[str, int]
    pixels: torch.Tensor
    frame: Frame

    @property
    def backbone(self) -> Backbone:
        return self.network.backbone

    def scores(self, features: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        logits = self.network.head(features).float()
        return torch.stack([self._score(logits, one) for one in targets], dim=1)

    @torch.no_grad()
    def chances(self, pixels: torch.Tensor, targets: Sequence[Target]) -> torch.Tensor:
        return self.scores(self.backbone(pixels), targets).sigmoid()

    def _score(self, logits: torch.Tensor, target: Target) -> torch.Tensor:
        if isinstance(target, Contrast):
            return self._score(logits, target.this) - self._score(logits, target.other)
        if isinstance(target, Concept):
            return logits[:, self.places[target.cui]]
        raise UsageError(f"A network that names concepts has no score for {target}. Ask for a concept.")
