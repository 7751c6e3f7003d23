"""Which parts of the picture go first: a map as a grid of cells, their order, and masks of the first of them.

Invariant: cells are equal in size, so that equal counts are equal shares of the picture; cells of equal
relevance are ordered by a seeded shuffle, never by where they lie.
"""

# torch is typed in part
# pyright: reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Chances", "cells_of", "first_masks", "grid_of", "last_masks", "ranks_of"]

Chances: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""From what is kept of the picture (n x rows x columns, 1 = there) to how probable each target is then."""

_SIDE = 64  # cells along the longer side at most: finer than any feature map, and cheap


def grid_of(height: int, width: int, most: int = _SIDE) -> tuple[int, int]:
    """Rows and columns of cells that are nearly square.

    >>> grid_of(512, 256), grid_of(30, 40)
    ((64, 32), (30, 40))
    """
    scale = min(1.0, most / max(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale))


def cells_of(maps: Sequence[NDArray[Any]] | NDArray[Any], grid: tuple[int, int]) -> torch.Tensor:
    """The mean of each map in each cell: n x rows x columns."""
    planes = [torch.from_numpy(np.ascontiguousarray(one, dtype=np.float32)) for one in maps]
    means = [F.adaptive_avg_pool2d(one[None, None], grid)[0, 0] for one in planes]
    return torch.stack(means) if means else torch.zeros(0, *grid)


def ranks_of(cells: torch.Tensor, seed: int = 0) -> torch.Tensor:
    """0 for the most relevant cell of each map, 1 for the next: n x rows x columns."""
    flat = cells.flatten(1)
    shuffle = torch.randperm(flat.shape[1], generator=torch.Generator().manual_seed(seed))
    order = shuffle[flat[:, shuffle].argsort(dim=1, descending=True, stable=True)]
    places = torch.arange(flat.shape[1]).expand_as(order)
    return torch.empty_like(order).scatter_(1, order, places).view_as(cells)


def first_masks(ranks: torch.Tensor, shares: Sequence[float]) -> torch.Tensor:
    """1 where the most relevant cells lie, for each map and share: n x shares x rows x columns."""
    counts = torch.tensor([round(share * ranks[0].numel()) for share in shares])
    return (ranks[:, None] < counts[:, None, None]).float()


def last_masks(ranks: torch.Tensor, shares: Sequence[float]) -> torch.Tensor:
    """1 where the least relevant cells lie."""
    return first_masks(ranks[0].numel() - 1 - ranks, shares)
