"""Several networks as one backbone: their codes side by side (code ensembles, early fusion).

Each part's map is brought to the finest grid among them and divided by the length of its mean, so that every
part counts the same however wide it is.
Invariant: under average pooling the cosine of two codes is the mean of the parts' own cosines, where the
finest grid is a whole multiple of each (else nearly so: some places count more than others); a code is as
long as the square root of its width, as features of one network are, so that heads learn from it alike.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.backbones.backbone import Backbone, make_backbone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from radcap.vision.settings import BackboneSettings

__all__ = ["Joined", "SideBySide", "make_joined"]

_LEAST = 1e-6


def make_joined(settings: BackboneSettings, *, size: int) -> Joined:
    """The backbone `joined`, each part with the weights that it names, unless weights of all are named."""
    parts = [make_backbone(one, size=size, weights=settings.weights == "none") for one in settings.part]
    return Joined(SideBySide(parts), settings.part)


class SideBySide(nn.Module):
    """From pixels to the maps of all parts, n x width x h' x w'."""

    def __init__(self, parts: Iterable[Backbone]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.width = sum(one.width for one in self.backbones)

    @property
    def backbones(self) -> list[Backbone]:
        return [one for one in self.parts if isinstance(one, Backbone)]

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        maps = [one(pixels).float() for one in self.backbones]  # a length in half precision is a rough one
        high, wide = (max(one.shape[axis] for one in maps) for axis in (-2, -1))
        length = sqrt(self.width / len(maps))
        return torch.cat([length * _unit(F.interpolate(one, (high, wide))) for one in maps], dim=1)


class Joined(Backbone):
    """Parts that scale their pixels themselves; `settings` are theirs, in order."""

    body: SideBySide

    def __init__(self, body: SideBySide, settings: tuple[BackboneSettings, ...]) -> None:
        super().__init__(body, body.width, [0.0] * 3, [1.0] * 3)
        self.settings = settings

    def learn(self, images: Callable[[], Iterator[torch.Tensor]], seed: int) -> None:
        """Parts that began with weights have learnt before."""
        for settings, part in zip(self.settings, self.body.backbones, strict=True):
            if settings.weights == "none":
                part.learn(images, seed)

    def settings_of(self, settings: BackboneSettings) -> BackboneSettings:
        pairs = zip(settings.part, self.body.backbones, strict=True)
        return replace(settings, part=tuple(part.settings_of(own) for own, part in pairs))


def _unit(features: torch.Tensor) -> torch.Tensor:
    """A map whose mean over all places has length 1."""
    length = torch.linalg.vector_norm(features.mean(dim=(2, 3), keepdim=True), dim=1, keepdim=True)
    return features / length.clamp(min=_LEAST)
