"""Which part of a cached square the network sees, as one affine map for each image.

Invariant: a frame is centre and half extent in the coordinates of `grid_sample` (the square is -1 to 1);
flips, turns, zooms and crops only change the map, so pixels are sampled once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from radcap.vision.pictures.chance import Chance
    from radcap.vision.settings import AugmentSettings

__all__ = ["frames", "sampled", "varied"]


def frames(boxes: torch.Tensor, side: int, fit: str) -> torch.Tensor:
    """n x (centre x, centre y, half width, half height) of what fills the view."""
    top, left, height, width = boxes.float().unbind(1)
    cx, cy = (2 * left + width) / side - 1, (2 * top + height) / side - 1
    if fit == "pad":
        half = torch.maximum(height, width) / side
        return torch.stack([cx, cy, half, half], dim=1)
    if fit == "crop":
        half = torch.minimum(height, width) / side
        return torch.stack([cx, cy, half, half], dim=1)
    return torch.stack([cx, cy, width / side, height / side], dim=1)


def varied(
    frame: torch.Tensor, load: float, augment: AugmentSettings | None, chance: Chance | None
) -> torch.Tensor:
    """The affine map of each image: its centre crop, or one drawn by lot."""
    n = len(frame)
    cx, cy, hx, hy = frame.unbind(1)
    if augment is None or chance is None:
        zero, one = torch.zeros_like(cx), torch.ones_like(cx)
        return _maps(cx, cy, hx / load, hy / load, zero, one, one)
    room = 1 - 1 / load
    cx = cx + hx * (chance.uniform(n, -room, room) + chance.uniform(n, -2, 2) * augment.shift)
    cy = cy + hy * (chance.uniform(n, -room, room) + chance.uniform(n, -2, 2) * augment.shift)
    low, high = (math.log(factor) for factor in augment.zoom)
    zoom = load * torch.exp(chance.uniform(n, low, high))
    # of each side, one as much longer as the other is shorter: their ratio changes by its square
    stretch = torch.exp(chance.uniform(n, -0.5, 0.5) * math.log1p(augment.stretch) * 2)
    angle = chance.uniform(n, -1, 1) * math.radians(augment.rotate)
    across, down = (
        1 - 2 * chance.coin(n, probability).float()
        for probability in (augment.flip_horizontal, augment.flip_vertical)
    )
    return _maps(cx, cy, hx / zoom * stretch, hy / zoom / stretch, angle, across, down)


def _maps(
    cx: torch.Tensor,
    cy: torch.Tensor,
    hx: torch.Tensor,
    hy: torch.Tensor,
    angle: torch.Tensor,
    across: torch.Tensor,
    down: torch.Tensor,
) -> torch.Tensor:
    cos, sin = torch.cos(angle), torch.sin(angle)
    rows = [hx * cos * across, -hx * sin * down, cx, hy * sin * across, hy * cos * down, cy]
    return torch.stack(rows, dim=1).view(-1, 2, 3)


def sampled(images: torch.Tensor, maps: torch.Tensor, size: int) -> torch.Tensor:
    """n x c x size x size; what lies outside of an image is black."""
    return F.grid_sample(images, _grid(maps, size, images.dtype), align_corners=False)


def _grid(maps: torch.Tensor, size: int, kind: torch.dtype) -> torch.Tensor:
    """Where each pixel comes from, n x size x size x (x, y).

    The same as `F.affine_grid`, which multiplies matrices with three columns: that is slow on a GPU, and in
    half precision it is off by parts of a pixel. Here only the result is rounded.
    """
    middles = (2 * torch.arange(size, device=maps.device) + 1) / size - 1
    grid = torch.empty(len(maps), size, size, 2, dtype=kind, device=maps.device)
    for place in (0, 1):
        by_x, by_y, shift = maps[:, place].unbind(1)
        across = by_x[:, None, None] * middles + shift[:, None, None]
        down = by_y[:, None, None] * middles[:, None]
        torch.add(across, down, out=grid[..., place])
    return grid
