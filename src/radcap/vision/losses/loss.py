"""Losses for many labels at once. Labels lie between 0 and 1: mixed images have both images' labels in part.

Invariant: a loss is a mean over images and labels (soft F1 aside), in single precision, so that learning
rates carry over. Losses that weigh a label by its frequency are given the share of each label in training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast, runtime_checkable

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.vision.blocks import LOSSES

if TYPE_CHECKING:
    from radcap.vision.heads import Taught
    from radcap.vision.settings import LossSettings

__all__ = ["InnerLoss", "Loss", "make_loss"]

Loss: TypeAlias = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@runtime_checkable
class InnerLoss(Protocol):
    """A loss that looks at more than logits, or changes from epoch to epoch; it is a `Loss` too."""

    def __call__(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor: ...
    def inner(self, taught: Taught, labels: torch.Tensor, epoch: int) -> torch.Tensor: ...


_LEAST = torch.finfo(torch.float32).tiny  # powers below 1 have no slope at 0


def make_loss(settings: LossSettings, shares: torch.Tensor) -> Loss:
    """The loss of a name; `shares` is the part of the training images that has each label."""
    made = cast("Loss", LOSSES.factory(settings.name)(settings, shares))
    if not settings.smoothing or isinstance(made, InnerLoss):
        return made
    return partial(_smoothed, made, settings.smoothing)


def _smoothed(loss: Loss, smoothing: float, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return loss(logits, labels * (1 - smoothing) + smoothing / 2)


def make_bce(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001 - a factory's form
    return F.binary_cross_entropy_with_logits


def make_weighted(settings: LossSettings, shares: torch.Tensor) -> Loss:
    """Positives weigh more the rarer they are."""
    odds = (1 - shares) / shares.clamp(min=1e-6)
    weights = odds.pow(settings.power).clamp(max=settings.largest)

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.binary_cross_entropy_with_logits(logits, labels, pos_weight=weights.to(logits.device))

    return loss


def make_focal(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001
    """Lin et al. 2017: what is known already counts less."""
    gamma, alpha = settings.gamma, settings.alpha

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        entropy = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        p = torch.sigmoid(logits)
        right = p * labels + (1 - p) * (1 - labels)
        weight = alpha * labels + (1 - alpha) * (1 - labels) if alpha >= 0 else 1.0
        return (weight * (1 - right).clamp(min=_LEAST).pow(gamma) * entropy).mean()

    return loss


def make_asymmetric(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001
    """Ridnik et al. 2021: easy negatives count less, and the easiest not at all."""

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(logits)
        shifted = (p - settings.clip).clamp(min=_LEAST)
        positive = (1 - p).clamp(min=_LEAST).pow(settings.gamma_positive) * F.logsigmoid(logits)
        negative = shifted.pow(settings.gamma_negative) * torch.log((1 - shifted).clamp(min=_LEAST))
        return -(labels * positive + (1 - labels) * negative).mean()

    return loss


def make_soft_f1(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001
    """1 - F1 of each image, with probabilities in place of decisions."""

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(logits)
        both = (p * labels).sum(dim=1)
        return (1 - 2 * both / (p.sum(dim=1) + labels.sum(dim=1)).clamp(min=1e-6)).mean()

    return loss


class OwnLoss:
    """What a head says of itself, and nothing else: that of a sequence."""

    def __call__(self, logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.binary_cross_entropy_with_logits(logits, labels)

    def inner(self, taught: Taught, labels: torch.Tensor, epoch: int) -> torch.Tensor:  # noqa: ARG002
        return taught.own.new_zeros(())  # the lesson adds the head's own


def make_own(settings: LossSettings, shares: torch.Tensor) -> OwnLoss:  # noqa: ARG001
    return OwnLoss()
