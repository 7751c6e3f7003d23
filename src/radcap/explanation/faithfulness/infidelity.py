"""Infidelity (Yeh 2019): how far what a map promises for a part lies from what taking it away does.

Invariant: it does not change with the scale of a map: the promise is scaled so that it fits best, as
captum does with `normalize=True`. The same parts are taken away for all targets.
Forwards: 1 + draws, whatever the number of targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from radcap.explanation.faithfulness.masks import cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.faithfulness.masks import Chances

__all__ = ["infidelity", "squares"]

_LEAST, _MOST = 0.125, 0.5  # of the shorter side
_TINY = 1e-12


def infidelity(
    chances: Chances,
    maps: Sequence[NDArray[Any]],
    grid: tuple[int, int],
    *,
    draws: int = 24,
    seed: int = 0,
) -> list[float]:
    """For map number n the figure of target number n."""
    removed = squares(grid, draws, seed)
    told = chances(torch.cat([torch.ones(1, *grid), 1 - removed]))
    lost = told[0] - told[1:]
    promised = removed.flatten(1) @ cells_of(maps, grid).flatten(1).T
    fit = (promised * lost).sum(0) / (promised**2).sum(0).clamp_min(_TINY)
    return [float(one) for one in ((fit * promised - lost) ** 2).mean(0)]


def squares(grid: tuple[int, int], draws: int, seed: int) -> torch.Tensor:
    """A square in each, of any size between an eighth and a half of the side, anywhere: draws x grid."""
    lots = torch.Generator().manual_seed(seed)
    size, top, left = torch.rand(3, draws, generator=lots)
    sides = ((_LEAST + (_MOST - _LEAST) * size) * min(grid)).round().clamp_min(1)
    return _span(grid[0], top, sides)[:, :, None] * _span(grid[1], left, sides)[:, None, :]


def _span(cells: int, place: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
    start = (place * (cells - sides + 1)).floor()
    steps = torch.arange(cells)
    return ((steps >= start[:, None]) & (steps < (start + sides)[:, None])).float()
