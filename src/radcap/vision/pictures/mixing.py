"""Mixup (Zhang et al. 2018) and CutMix (Yun et al. 2019) for many labels.

Invariant: labels are mixed by the same parts as pixels, so they lie between 0 and 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from radcap.vision.pictures.chance import Chance
    from radcap.vision.settings import AugmentSettings

__all__ = ["mix"]


def mix(
    images: torch.Tensor, labels: torch.Tensor, augment: AugmentSettings, chance: Chance
) -> tuple[torch.Tensor, torch.Tensor]:
    """A batch mixed with itself in another order; with neither of the two it is as it was."""
    if not augment.mixup and not augment.cutmix:
        return images, labels
    other = chance.order(len(images))
    cut = augment.cutmix > 0 and (not augment.mixup or bool(chance.betas.random() < 0.5))  # noqa: PLR2004
    if cut:
        images, kept = _cut(images, other, augment.cutmix, chance)
    else:
        kept = chance.beta(len(images), augment.mixup)
        share = kept.view(-1, 1, 1, 1).to(images.dtype)
        images = images * share + images[other] * (1 - share)
    share = kept.view(-1, 1)
    return images, labels * share + labels[other] * (1 - share)


def _cut(
    images: torch.Tensor, other: torch.Tensor, alpha: float, chance: Chance
) -> tuple[torch.Tensor, torch.Tensor]:
    """One box for the whole batch, taken from the other images."""
    height, width = images.shape[-2:]
    side = float(1 - chance.betas.beta(alpha, alpha)) ** 0.5
    y, x = chance.betas.random(2)
    top, left = (int(place * length * (1 - side)) for place, length in ((y, height), (x, width)))
    high, wide = int(height * side), int(width * side)
    mixed = images.clone()
    mixed[:, :, top : top + high, left : left + wide] = images[other, :, top : top + high, left : left + wide]
    return mixed, images.new_full((len(images),), 1 - high * wide / (height * width), dtype=torch.float32)
