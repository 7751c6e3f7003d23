"""Losses for many labels at once. Labels lie between 0 and 1: mixed images have both images' labels in part.

Invariant: a loss is a mean over images and labels (soft F1 aside), in single precision, so that learning rates
carry over. Losses that weigh a label by its frequency are given the share of each label in training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, cast

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

from radcap.core.registry import Registry

if TYPE_CHECKING:
    from radcap.vision.settings import LossSettings

__all__ = ["LOSSES", "Loss", "make_loss"]

Loss: TypeAlias = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

LOSSES = Registry(
    "loss",
    {
        "bce": "radcap.vision.losses.loss:make_bce",
        "soft-margin": "radcap.vision.losses.loss:make_bce",  # MultiLabelSoftMarginLoss is the mean of BCE
        "weighted-bce": "radcap.vision.losses.loss:make_weighted",
        "focal": "radcap.vision.losses.loss:make_focal",
        "asymmetric": "radcap.vision.losses.loss:make_asymmetric",
        "soft-f1": "radcap.vision.losses.loss:make_soft_f1",
    },
)


def make_loss(settings: LossSettings, shares: torch.Tensor) -> Loss:
    """The loss of a name; `shares` is the part of the training images that has each label."""
    made = cast("Loss", LOSSES.factory(settings.name)(settings, shares))
    return partial(_smoothed, made, settings.smoothing) if settings.smoothing else made


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
        return (weight * (1 - right).pow(gamma) * entropy).mean()

    return loss


def make_asymmetric(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001
    """Ridnik et al. 2021: easy negatives count less, and the easiest not at all."""
    least = torch.finfo(torch.float32).tiny

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(logits)
        shifted = (p - settings.clip).clamp(min=0)
        positive = labels * (1 - p).pow(settings.gamma_positive) * F.logsigmoid(logits)
        negative = (1 - labels) * shifted.pow(settings.gamma_negative) * torch.log((1 - shifted).clamp(min=least))
        return -(positive + negative).mean()

    return loss


def make_soft_f1(settings: LossSettings, shares: torch.Tensor) -> Loss:  # noqa: ARG001
    """1 - F1 of each image, with probabilities in place of decisions."""

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(logits)
        both = (p * labels).sum(dim=1)
        return (1 - 2 * both / (p.sum(dim=1) + labels.sum(dim=1)).clamp(min=1e-6)).mean()

    return loss
