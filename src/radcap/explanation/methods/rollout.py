"""Attention rollout (Abnar and Zuidema, 2020): attention followed through the layers of an encoder.

Invariant: it knows nothing of the target, so all targets of an image have the same map: it shows where the
encoder looks, and not why a concept was named.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.explanation.lenses.attention import recorded
from radcap.explanation.lenses.tokens import image_tokens, token_layers
from radcap.explanation.methods.method import Relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["Rollout"]


@dataclass(frozen=True, slots=True)
class Rollout:
    """Each layer half looks and half passes on, as the paper has it."""

    @torch.no_grad()
    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        with recorded(lens.backbone) as seen:
            features = lens.backbone(lens.pixels).float()
        layers = [one[0].mean(dim=0) for one in token_layers(seen, features)]
        own = torch.eye(len(layers[0]), device=layers[0].device)
        whole = own
        for one in layers:
            whole = (one + own) / 2 @ whole
        found = image_tokens(whole, features.shape[2:])
        return Relevance(found.expand(len(targets), -1, -1).clone())
