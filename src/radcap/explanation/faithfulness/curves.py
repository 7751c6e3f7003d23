"""Deletion and insertion (RISE, Petsiuk 2018): the chance of a statement as its evidence goes, or comes.

Invariant: a map of noise and a map of edges walk the same way over the same picture, and every forward scores
all targets, so that they cost as much for ten targets as for one. The two ends are shared by all curves.
Forwards: 2 + (2 x targets + 3) x (steps - 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from radcap.explanation.faithfulness.baselines import edge_map, noise_map
from radcap.explanation.faithfulness.masks import cells_of, first_masks, grid_of, ranks_of
from radcap.explanation.faithfulness.values import Curve, Faithfulness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.explanation.faithfulness.masks import Chances

__all__ = ["Walk", "curves", "walk"]


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """How probable each target is on the way of each map: maps x (steps + 1) x targets, from share 0 to 1."""

    deletion: torch.Tensor
    insertion: torch.Tensor


def curves(
    chances: Chances, maps: Sequence[NDArray[Any]], picture: NDArray[Any], *, steps: int = 8, seed: int = 0
) -> list[Faithfulness]:
    """For map number n the curves of target number n; `picture` is height x width x 3."""
    height, width = picture.shape[:2]
    others = [edge_map(picture), noise_map(height, width, seed)]
    cells = cells_of([*maps, *others], grid_of(height, width))
    done = walk(chances, ranks_of(cells, seed), steps=steps, mirrored=1)
    return [_faithfulness(done, place, steps) for place in range(len(maps))]


def walk(chances: Chances, ranks: torch.Tensor, *, steps: int, mirrored: int = 0) -> Walk:
    """All steps of all maps in one call.

    The last `mirrored` maps are noise: what is kept when the one half of noise is deleted is as good a draw
    as what is inserted first, so one set of masks serves both. The areas are then equal, and the luck of a
    draw, which would help one and harm the other, is out of the comparison.
    """
    first = first_masks(ranks, [step / steps for step in range(1, steps)])
    own = len(ranks) - mirrored
    ends = torch.stack([torch.ones_like(first[0, 0]), torch.zeros_like(first[0, 0])])
    told = chances(torch.cat([ends, first.flatten(0, 1), 1 - first[:own].flatten(0, 1)]))
    whole, nothing = told[0], told[1]
    inner = told[2:].view(-1, steps - 1, told.shape[1])
    came = inner[: len(ranks)]
    gone = torch.cat([inner[len(ranks) :], came[own:].flip(1)])
    return Walk(_ended(whole, gone, nothing), _ended(nothing, came, whole))


def _ended(start: torch.Tensor, inner: torch.Tensor, end: torch.Tensor) -> torch.Tensor:
    count = len(inner)
    return torch.cat([start.expand(count, 1, -1), inner, end.expand(count, 1, -1)], dim=1)


def _faithfulness(done: Walk, place: int, steps: int) -> Faithfulness:
    gone, came = done.deletion[:, :, place], done.insertion[:, :, place]
    edges, noise = -2, -1
    return Faithfulness(
        deletion=_curve(gone[place], steps),
        insertion=_curve(came[place], steps),
        random_deletion=_curve(gone[noise], steps).area,
        random_insertion=_curve(came[noise], steps).area,
        edge_deletion=_curve(gone[edges], steps).area,
        edge_insertion=_curve(came[edges], steps).area,
    )


def _curve(values: torch.Tensor, steps: int) -> Curve:
    return Curve(tuple(step / steps for step in range(steps + 1)), tuple(float(one) for one in values))
