"""The score maps of a CSRA head: the map is the model.

Invariant: a map sums to the logit exactly: at each place the score times what its place counts for.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError
from radcap.explanation.lenses.network_lens import NetworkLens
from radcap.explanation.methods.method import Relevance
from radcap.explanation.targets import Concept, Contrast
from radcap.vision.heads.csra import CsraHead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.explanation.lenses.lens import Lens
    from radcap.explanation.targets import Target

__all__ = ["CsraMap"]


@dataclass(frozen=True, slots=True)
class CsraMap:
    """For networks whose head is `csra`."""

    @torch.no_grad()
    def __call__(self, lens: Lens, targets: Sequence[Target]) -> Relevance:
        if not isinstance(lens, NetworkLens) or not isinstance(lens.network.head, CsraHead):
            raise UsageError(
                "csra-map shows the score maps of a CSRA head, and this model has none. Use grad-cam."
            )
        features = lens.backbone(lens.pixels).float()
        parts = _parts(lens.network.head, features).view(-1, *features.shape[2:])
        return Relevance(torch.stack([_map(parts, lens, one) for one in targets]))


def _parts(head: CsraHead, features: torch.Tensor) -> torch.Tensor:
    """labels x places: what each place adds to each logit."""
    scores = head.score_maps(features)[0].float()  # heads x labels x places
    sharpness = scores.new_tensor(head.temperatures).view(-1, 1, 1)
    counts = 1 / scores.shape[-1] + head.strength * torch.softmax(scores * sharpness, dim=-1)
    return (counts * scores).sum(dim=0)


def _map(parts: torch.Tensor, lens: NetworkLens, target: Target) -> torch.Tensor:
    if isinstance(target, Contrast):
        return _map(parts, lens, target.this) - _map(parts, lens, target.other)
    if isinstance(target, Concept):
        return parts[lens.places[target.cui]]
    raise UsageError(f"A network that names concepts has no map for {target}. Ask for a concept.")
