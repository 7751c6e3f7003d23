"""Which tokens may be drawn, and how evenly: temperature, then top-k, then top-p.

Invariant: top-k leaves the k most probable tokens; top-p leaves the fewest of these whose probabilities sum
to p or more, the most probable one at least.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.captioning.generation.controls import FORBIDDEN

if TYPE_CHECKING:
    from radcap.captioning.settings import GenerateSettings

__all__ = ["shortlist"]


def shortlist(ruled: torch.Tensor, settings: GenerateSettings) -> torch.Tensor:
    """The logits (n x size) to draw by; minus infinity where nothing is drawn."""
    logits = ruled / settings.temperature
    if 0 < settings.top_k < logits.shape[1]:
        logits = _only(logits, logits.topk(settings.top_k, dim=1).indices)
    if settings.top_p < 1:
        ordered, places = logits.sort(dim=1, descending=True)
        chances = ordered.softmax(dim=1)
        before = chances.cumsum(dim=1) - chances
        logits = logits.scatter(1, places, ordered.masked_fill(before >= settings.top_p, FORBIDDEN))
    return logits


def _only(logits: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return torch.full_like(logits, FORBIDDEN).scatter(1, places, logits.gather(1, places))
