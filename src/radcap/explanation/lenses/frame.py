"""Where a picture lies in the pixels that a network sees, and the way back.

Invariant: `over_picture` of `over_pixels` gives a smooth map back, where the network sees the picture. What
it does not see (cut off by a crop) has no relevance; what is no picture (the border of a pad) is 0.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["Frame"]


@dataclass(frozen=True, slots=True)
class Frame:
    """The picture spans `left` to `right` and `top` to `bottom` of the pixels, in shares; beyond 0 and 1
    where it is cut off."""

    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0

    def over_picture(self, maps: torch.Tensor, height: int, width: int) -> torch.Tensor:
        """Maps over the pixels (n x h x w) as maps over the picture (n x height x width)."""
        down = self.top + _middles(height, maps) * (self.bottom - self.top)
        across = self.left + _middles(width, maps) * (self.right - self.left)
        return _sampled(maps, down, across)

    def over_pixels(self, maps: torch.Tensor, size: int) -> torch.Tensor:
        """Maps over the picture (n x height x width) as maps over the pixels (n x size x size)."""
        down = (_middles(size, maps) - self.top) / (self.bottom - self.top)
        across = (_middles(size, maps) - self.left) / (self.right - self.left)
        return _sampled(maps, down, across)


def _middles(count: int, like: torch.Tensor) -> torch.Tensor:
    return (torch.arange(count, device=like.device, dtype=torch.float32) + 0.5) / count


def _inside(shares: torch.Tensor) -> torch.Tensor:
    return (shares >= 0) & (shares <= 1)


def _sampled(maps: torch.Tensor, down: torch.Tensor, across: torch.Tensor) -> torch.Tensor:
    """Between the middles of the cells, and the nearest one beyond the last of them."""
    rows, columns = torch.meshgrid(2 * down - 1, 2 * across - 1, indexing="ij")
    grid = torch.stack([columns, rows], dim=-1)[None]
    # the maps as channels of one image, since all of them are sampled at the same places
    done = F.grid_sample(maps[None].float(), grid, padding_mode="border", align_corners=False)[0]
    seen = _inside(down)[:, None] & _inside(across)
    return done * seen
