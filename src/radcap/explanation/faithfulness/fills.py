"""What stands in for the pixels that are taken away: the image under a heavy blur, its mean, or black.

Invariant: only the picture changes; the border that pads it stays, and has no say in what replaces it. A fill
is made ready once for an image and then serves any number of masks.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil
from typing import TypeAlias

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["Fill", "Replace", "black", "blurred", "grey"]

Replace: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""From what is removed (n x s x s, 0 to 1, nothing outside the picture) to pixels (n x 3 x s x s)."""

Fill: TypeAlias = Callable[[torch.Tensor, torch.Tensor], Replace]
"""From pixels (1 x 3 x s x s) and where the picture lies in them (s x s, true inside)."""

_BLUR = 1 / 16  # of the side: shapes of a sixth of the image are gone, light and dark halves are not
_WIDTHS = 3  # of the bell, on either side


def blurred(pixels: torch.Tensor, inside: torch.Tensor) -> Replace:
    """The image itself, so blurred that only light and dark are left: no edge is added by taking away."""
    weight = inside.to(pixels)[None, None]
    still = _smooth(pixels * weight) / _smooth(weight).clamp_min(1e-6)
    return partial(_mixed, pixels, still)


def grey(pixels: torch.Tensor, inside: torch.Tensor) -> Replace:
    """The mean of the picture, channel by channel."""
    weight = inside.to(pixels)
    mean = (pixels * weight).sum((-2, -1), keepdim=True) / weight.sum().clamp_min(1)
    return partial(_mixed, pixels, mean)


def black(pixels: torch.Tensor, inside: torch.Tensor) -> Replace:  # noqa: ARG001 - black whatever is there
    """Nothing at all, which an image of the body may well hold already."""
    return partial(_mixed, pixels, torch.zeros_like(pixels))


def _mixed(pixels: torch.Tensor, still: torch.Tensor, removed: torch.Tensor) -> torch.Tensor:
    return torch.lerp(pixels, still.expand_as(pixels), removed[:, None].to(pixels))


def _smooth(pixels: torch.Tensor) -> torch.Tensor:
    """Under a bell, along rows and then columns; nothing lies beyond the edge."""
    spread = max(pixels.shape[-2:]) * _BLUR
    reach = ceil(_WIDTHS * spread)
    steps = torch.arange(-reach, reach + 1, device=pixels.device, dtype=pixels.dtype)
    bell = torch.exp(-(steps**2) / (2 * spread**2))
    bell = bell / bell.sum()
    planes = pixels.transpose(0, 1)  # channels as images
    across = F.conv2d(planes, bell.view(1, 1, 1, -1), padding=(0, reach))
    return F.conv2d(across, bell.view(1, 1, -1, 1), padding=(reach, 0)).transpose(0, 1)
