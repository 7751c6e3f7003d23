"""Centres of many points: k-means with the start of Arthur and Vassilvitskii (2007).

Invariant: the same points and seed give the same centres on one device; there are always as many as were
asked for, so where there are fewer different points some centres repeat and are nearest to nothing.
"""

from __future__ import annotations

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody names it

__all__ = ["k_means", "nearest"]

_TOGETHER = 1 << 16  # points at a time, so that distances to all centres fit into memory
_ROUNDS = 30


@torch.no_grad()
def k_means(points: torch.Tensor, count: int, seed: int, rounds: int = _ROUNDS) -> torch.Tensor:
    """So many centres (count x d) of points (n x d), by Lloyd's steps until no point changes sides."""
    centres = _start(points, count, torch.Generator().manual_seed(seed))
    sides = nearest(points, centres)
    for _ in range(rounds):
        centres = _means(points, sides, centres)
        moved = nearest(points, centres)
        if torch.equal(moved, sides):
            break
        sides = moved
    return centres


@torch.no_grad()
def nearest(points: torch.Tensor, centres: torch.Tensor) -> torch.Tensor:
    """The number of the centre that is nearest to each point; of equal ones the first."""
    half = centres.square().sum(dim=1) / 2
    return torch.cat([(some @ centres.T - half).argmax(dim=1) for some in torch.split(points, _TOGETHER)])


def _start(points: torch.Tensor, count: int, chance: torch.Generator) -> torch.Tensor:
    """Points by lot, each the likelier the farther it is from those before it."""
    centres = [points[int(torch.randint(len(points), (1,), generator=chance))]]
    far = torch.full((len(points),), torch.inf, device=points.device)
    while len(centres) < count:
        far = torch.minimum(far, (points - centres[-1]).square().sum(dim=1))
        centres.append(points[_lot(far, chance)])
    return torch.stack(centres)


def _lot(weights: torch.Tensor, chance: torch.Generator) -> int:
    """A place by its weight; any place where all weights are 0."""
    heaped = weights.double().cpu().cumsum(dim=0)
    drawn = torch.rand(1, generator=chance, dtype=torch.float64) * heaped[-1]
    return min(int(torch.searchsorted(heaped, drawn, right=True)), len(weights) - 1)


def _means(points: torch.Tensor, sides: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """The mean of each side; a centre that nothing is near to stays where it was.

    Sums are products with ones and zeros: a GPU adds scattered rows in another order each time.
    """
    total, count = torch.zeros_like(before), torch.zeros(len(before), 1, device=points.device)
    for some, theirs in zip(torch.split(points, _TOGETHER), torch.split(sides, _TOGETHER), strict=True):
        chosen = F.one_hot(theirs, len(before)).to(points.dtype)
        total += chosen.T @ some
        count += chosen.sum(dim=0)[:, None]
    return torch.where(count > 0, total / count.clamp(min=1), before)
