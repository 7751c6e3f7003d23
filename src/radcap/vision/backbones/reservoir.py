"""An even draw from more rows than memory holds.

Invariant: every row is drawn with the same probability, whatever batch it comes in; the same seed and rows
give the same draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from radcap.core import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["drawn_rows"]


def drawn_rows(batches: Iterable[torch.Tensor], most: int, seed: int) -> torch.Tensor:
    """At most so many of the rows of all batches: those with the lowest of one number each by lot."""
    chance = torch.Generator().manual_seed(seed)
    rows, lots = torch.empty(0), torch.empty(0)
    for batch in batches:
        mine = torch.rand(len(batch), generator=chance, dtype=torch.float64).to(batch.device)
        rows, lots = (torch.cat([rows, batch]), torch.cat([lots, mine])) if len(lots) else (batch, mine)
        if len(lots) > most:
            lots, kept = torch.topk(lots, most, largest=False)
            rows = rows[kept]
    if not len(lots):
        raise UsageError("There are no images to learn from. Look at [data] fit and at the dataset.")
    return rows
