"""Ablation-CAM (Desai and Ramaswamy, 2020): a channel weighs what the score loses without it.

Invariant: no gradients; every channel is taken out once, and that serves all targets.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.lenses.chat_lens import ChatLens
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["AblationCam"]


@dataclass(frozen=True, slots=True)
class AblationCam:
    """`batch` feature maps are scored at a time."""

    batch: int = 128

    @torch.no_grad()
    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        if isinstance(lens, ChatLens):
            raise UsageError(
                "ablation-cam takes channels out of a feature map, and a chat has none. Use occlusion."
            )
        features = lens.backbone(lens.pixels).float()
        whole = lens.scores(features, targets)
        live = features.abs().amax(dim=(0, 2, 3)).nonzero()[:, 0]
        losses = features.new_zeros(len(targets), features.shape[1])
        for some in live.split(self.batch):
            rows = features.repeat(len(some), 1, 1, 1)
            rows[torch.arange(len(some)), some] = 0
            losses[:, some] = (whole - lens.scores(rows, targets)).T
        return Relevance(torch.einsum("tc,chw->thw", losses, features[0]).relu())
