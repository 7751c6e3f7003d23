"""How often each word stands in the image, in its quarters, in their quarters and so on.

Invariant: a place belongs to one cell of each level, that which its centre lies in, so every level counts
every place once. Counts go under a square root before the whole has length 1: each level then weighs the
same, and products of two images are their Hellinger affinity (Perronnin, Sanchez and Mensink 2010).
"""

from __future__ import annotations

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["cells_of", "finest_cells", "tree_histograms"]


def cells_of(levels: int) -> int:
    """The cells of all levels together."""
    return sum(4**level for level in range(levels))


def finest_cells(down: torch.Tensor, right: torch.Tensor, levels: int) -> torch.Tensor:
    """The cells of the last level, row by row, that centres lie in; a centre is a part of the height and of
    the width, from 0 to below 1. All pairs of both are meant."""
    side = 2 ** (levels - 1)
    rows, columns = ((one * side).floor().long() for one in (down, right))
    return (rows[:, None] * side + columns[None, :]).flatten()


def tree_histograms(words: torch.Tensor, cells: torch.Tensor, count: int, levels: int) -> torch.Tensor:
    """Of the words at all places (n x places) and their finest cells: n x (count x cells), of length 1."""
    side = 2 ** (levels - 1)
    empty = torch.zeros(len(words), side * side * count, dtype=torch.int32, device=words.device)
    finest = empty.scatter_add_(1, cells * count + words, torch.ones_like(words, dtype=torch.int32))
    tree = [
        finest.view(-1, 2**level, side // 2**level, 2**level, side // 2**level, count).sum(dim=(2, 4))
        for level in range(levels)
    ]
    counts = torch.cat([one.flatten(1) for one in tree], dim=1).float()
    return F.normalize(counts.sqrt(), dim=1)
