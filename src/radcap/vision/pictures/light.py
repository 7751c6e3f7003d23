"""Changes of light: brightness, contrast, gamma, noise, and a grey box, each drawn for each image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from radcap.vision.pictures.chance import Chance
    from radcap.vision.settings import AugmentSettings

__all__ = ["relit"]

_WHITE = 255.0
_ERASED = (0.02, 0.2)  # parts of the image a grey box may cover


def relit(images: torch.Tensor, augment: AugmentSettings, chance: Chance) -> torch.Tensor:
    """Images from 0 to 255, still from 0 to 255."""
    if augment.gamma:
        exponent = torch.exp(_each(images, chance, augment.gamma))
        images = (images / _WHITE).clamp(0, 1).pow(exponent) * _WHITE
    if augment.contrast:
        middle = images.mean(dim=(1, 2, 3), keepdim=True)
        images = middle + (images - middle) * (1 + _each(images, chance, augment.contrast))
    if augment.brightness:
        images = images + _WHITE * _each(images, chance, augment.brightness)
    if augment.noise:
        images = images + _WHITE * _each(images, chance, augment.noise).abs() * chance.normal(images)
    if augment.gamma or augment.contrast or augment.brightness or augment.noise:
        images = images.clamp(0, _WHITE)
    return _erased(images, augment.erase, chance) if augment.erase else images


def _each(images: torch.Tensor, chance: Chance, largest: float) -> torch.Tensor:
    """One number an image, either way."""
    return chance.uniform(len(images), -largest, largest).view(-1, 1, 1, 1).to(images.dtype)


def _erased(images: torch.Tensor, probability: float, chance: Chance) -> torch.Tensor:
    n, _, height, width = images.shape
    side = chance.uniform(n, *_ERASED).sqrt()
    inside: list[torch.Tensor] = []
    for length in (height, width):
        start = chance.uniform(n, 0, 1) * (1 - side)
        places = torch.arange(length, device=images.device) / length
        inside.append((places >= start[:, None]) & (places < (start + side)[:, None]))
    box = inside[0][:, :, None] & inside[1][:, None, :] & chance.coin(n, probability)[:, None, None]
    return torch.where(box[:, None], _WHITE / 2, images)
