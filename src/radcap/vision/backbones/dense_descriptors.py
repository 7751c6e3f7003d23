"""Gradients of patches on a grid, as SIFT describes them (Lowe 2004), at one scale.

A patch is 4 x 4 cells; each cell holds how strong gradients are in 8 directions, each gradient shared by the
two directions it lies between. Windows are flat and patches upright: radiology images are.
Invariant: a descriptor is the square root of shares (Arandjelovic and Zisserman 2012), so it has length 1; a
patch in which nothing is to be seen has length 0.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["DESCRIBED", "SIDE", "centres_along", "describe"]

SIDE = 4  # cells along a patch
STEP = 2  # cells from patch to patch, so patches overlap by half
TURNS = 8
DESCRIBED = SIDE * SIDE * TURNS
_FLAT = 0.5 / 255  # below half a grey level a pixel there is noise


def describe(grey: torch.Tensor, cell: int) -> torch.Tensor:
    """The patches of images (n x h x w, 0 to 1), row by row: n x patches x 128. `cell` counts pixels."""
    cells = F.avg_pool2d(_turned(grey), cell)
    patches = cells.unfold(2, SIDE, STEP).unfold(3, SIDE, STEP)  # n x turns x down x right x 4 x 4
    found = patches.permute(0, 2, 3, 4, 5, 1).flatten(3).flatten(1, 2)
    strength = found.sum(dim=2, keepdim=True)
    is_flat = strength / (SIDE * SIDE) < _FLAT
    return torch.where(is_flat, 0.0, found / strength.clamp(min=torch.finfo(found.dtype).tiny)).sqrt()


def centres_along(length: int, cell: int) -> torch.Tensor:
    """Where the centres of patches lie along an edge of so many pixels, as parts of it."""
    count = (length // cell - SIDE) // STEP + 1
    return (torch.arange(count) * STEP + SIDE / 2) * cell / length


def _turned(grey: torch.Tensor) -> torch.Tensor:
    """How strong the gradient is in each direction at each pixel: n x 8 x h x w."""
    wide = F.pad(grey[:, None], (1, 1, 1, 1), mode="replicate")[:, 0]
    right = (wide[:, 1:-1, 2:] - wide[:, 1:-1, :-2]) / 2
    down = (wide[:, 2:, 1:-1] - wide[:, :-2, 1:-1]) / 2
    turn = torch.atan2(down, right) * (TURNS / (2 * math.pi))  # -4 to 4
    strength = torch.hypot(right, down)
    each = torch.arange(TURNS, device=grey.device, dtype=grey.dtype).view(1, -1, 1, 1)
    apart = (turn[:, None] - each).remainder(TURNS)  # 0 to 8
    return strength[:, None] * (1 - torch.minimum(apart, TURNS - apart)).clamp(min=0)
