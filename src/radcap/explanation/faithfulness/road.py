"""ROAD (Rong 2022): what is lost when the most relevant parts are imputed away, against the least relevant.

Invariant: higher is better; 0 is what noise gives. pytorch-grad-cam halves the same difference.
Forwards: 2 x shares x targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from radcap.explanation.faithfulness.masks import cells_of, first_masks, last_masks, ranks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.faithfulness.masks import Chances

__all__ = ["ROAD_SHARES", "road"]

ROAD_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


def road(
    chances: Chances,
    maps: Sequence[NDArray[Any]],
    grid: tuple[int, int],
    *,
    shares: Sequence[float] = ROAD_SHARES,
    seed: int = 0,
) -> list[float]:
    """For map number n the figure of target number n; `chances` fills by imputation."""
    ranks = ranks_of(cells_of(maps, grid), seed)
    gone = torch.cat([first_masks(ranks, shares), last_masks(ranks, shares)])
    told = chances(1 - gone.flatten(0, 1)).view(2, len(maps), len(shares), -1)
    lost = (told[1] - told[0]).mean(dim=1)  # maps x targets
    return [float(one) for one in lost.diagonal()]
