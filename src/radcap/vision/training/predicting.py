"""Logits for every picture of a feed, and how good they are at their best threshold."""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.vision.training.devices import Place
    from radcap.vision.training.feeds import Feed

__all__ = ["best_sample_f1", "held_loss", "predicted"]

_THRESHOLDS = 37  # from 0.05 to 0.95


@torch.no_grad()
def predicted(
    answer: Callable[[torch.Tensor], torch.Tensor],
    feed: Feed,
    place: Place,
    batch: int = 256,
    kind: torch.dtype = torch.float32,
) -> torch.Tensor:
    """What `answer` (a network in evaluation mode) says to each place of the feed; held once."""
    done: torch.Tensor | None = None
    for start in range(0, len(feed), batch):
        places = torch.arange(start, min(start + batch, len(feed)), device=place.device)
        images, _ = feed.batch(places, None)
        with place.autocast():
            told = answer(images)
        if done is None:
            done = torch.empty(len(feed), *told.shape[1:], dtype=kind, device=told.device)
        done[start : start + batch] = told
    return torch.empty(0, feed.labels.shape[1], device=place.device) if done is None else done


def held_loss(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """Binary cross-entropy, whatever was trained with, so that runs can be compared."""
    return float(F.binary_cross_entropy_with_logits(logits, labels.float()))


def best_sample_f1(logits: torch.Tensor, labels: torch.Tensor) -> float:
    """The mean F1 of images at the one threshold that suits them best."""
    p, truth = torch.sigmoid(logits), labels.bool()
    best = 0.0
    for threshold in cast("list[float]", torch.linspace(0.05, 0.95, _THRESHOLDS).tolist()):
        decided = p >= threshold
        both = (decided & truth).sum(1)
        total = decided.sum(1) + truth.sum(1)
        f1 = torch.where(total > 0, 2 * both / total.clamp(min=1), 1.0)
        best = max(best, float(f1.mean()))
    return best
