"""Class-specific residual attention (Zhu and Wu, ICCV 2021): each label looks where its own score is high.

A label's score map is the cosine-like product of its normed weights with the features; a logit is the mean
of the map plus lambda times its softmax-weighted mean, summed over heads of different temperatures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from radcap.vision.heads.head import Head

if TYPE_CHECKING:
    from radcap.vision.settings import HeadSettings

__all__ = ["TEMPERATURES", "CsraHead"]

_HARD = 99.0  # so high that the softmax takes the maximum
TEMPERATURES = {
    1: (1.0,),
    2: (1.0, _HARD),
    4: (1.0, 2.0, 4.0, _HARD),
    6: (1.0, 2.0, 3.0, 4.0, 5.0, _HARD),
    8: (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, _HARD),
}


class CsraHead(Head):
    """`score_maps` shows where each label was seen: the map is the model."""

    looks_at_places = True

    def __init__(self, settings: HeadSettings, width: int, labels: int) -> None:
        super().__init__(settings, width, labels)
        self.temperatures = TEMPERATURES[settings.heads]
        self.strength = settings.strength
        self.weight = nn.Parameter(torch.randn(len(self.temperatures), labels, width) / width**0.5)

    def score_maps(self, features: torch.Tensor) -> torch.Tensor:
        """n x heads x labels x places."""
        normed = nn.functional.normalize(self.weight, dim=-1)
        return torch.einsum("hlw,nwp->nhlp", normed.to(features.dtype), features.flatten(2))

    def score(self, features: torch.Tensor) -> torch.Tensor:
        maps = self.score_maps(features).float()
        sharpness = maps.new_tensor(self.temperatures).view(1, -1, 1, 1)
        attended = (torch.softmax(maps * sharpness, dim=-1) * maps).sum(dim=-1)
        return (maps.mean(dim=-1) + self.strength * attended).sum(dim=1)
