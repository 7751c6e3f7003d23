"""Where a vector of a feature map stands, in sines: half of the width for rows, half for columns.

Invariant: a place has the same sines in maps of any size.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

import math

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["place_sines"]

_SLOWEST = 100.0


def place_sines(height: int, width: int, like: torch.Tensor) -> torch.Tensor:
    """height x width rows of as many numbers as vectors (... x numbers) have that they are added to."""
    half = like.shape[-1] // 2
    rates = torch.exp(torch.arange(0, half, 2, device=like.device) * (-math.log(_SLOWEST) / max(half, 1)))
    rows = torch.arange(height, device=like.device)[:, None] * rates
    columns = torch.arange(width, device=like.device)[:, None] * rates
    down = torch.cat([rows.sin(), rows.cos()], dim=1)[:, :half]
    across = torch.cat([columns.sin(), columns.cos()], dim=1)[:, :half]
    both = torch.cat(
        [down[:, None].expand(-1, width, -1), across[None].expand(height, -1, -1)], dim=-1
    ).flatten(0, 1)
    return F.pad(both, (0, like.shape[-1] - both.shape[-1])).to(like.dtype)
