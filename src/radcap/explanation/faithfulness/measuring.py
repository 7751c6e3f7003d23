"""All that is measured of the maps of one image, at two levels.

Invariant: what was not asked for is None. Forwards for t targets, s steps and the defaults beside them:

    quick   deletion and insertion, against noise and edges   2 + (2t + 3)(s - 1)    163 for t = 10, s = 8
    full    ROAD                                              10t                    100
            infidelity                                        25                      25
            sensitivity                                       4 explanations of the image

ROAD also solves a linear system for each of its forwards, which takes about as long as a small network.
`most` measures the first targets alone: with `most=6` an image of ten takes 107 forwards instead of 163.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from radcap.core.errors import UsageError
from radcap.explanation.faithfulness.curves import curves
from radcap.explanation.faithfulness.imputing import imputed
from radcap.explanation.faithfulness.infidelity import infidelity
from radcap.explanation.faithfulness.masks import grid_of
from radcap.explanation.faithfulness.pointing import overlap, points
from radcap.explanation.faithfulness.road import road
from radcap.explanation.faithfulness.sensitivity import sensitivity

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from radcap.explanation.faithfulness.perturbing import Audience
    from radcap.explanation.faithfulness.sensitivity import Again
    from radcap.explanation.faithfulness.values import Faithfulness

__all__ = ["Level", "Measuring", "measure", "with_truth"]


class Level(StrEnum):
    """How much is measured."""

    QUICK = "quick"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Measuring:
    """How faithfulness is measured; `most` is how many targets of an image are, None for all."""

    level: Level = Level.QUICK
    steps: int = 8
    draws: int = 24  # of infidelity
    explanations: int = 4  # of sensitivity
    most: int | None = None

    def __post_init__(self) -> None:
        if self.steps < 2:  # noqa: PLR2004 - a start, an end and something between
            raise UsageError(f"A curve of {self.steps} steps has nothing between its ends. Give 2 or more.")


def measure(
    audience: Audience,
    picture: NDArray[np.uint8],
    maps: Sequence[NDArray[Any]],
    settings: Measuring | None = None,
    *,
    seed: int = 0,
    again: Again | None = None,
) -> list[Faithfulness | None]:
    """Map number n is of target number n of the audience; those beyond `most` are None.

    Sensitivity is measured where `again` explains the image once more (see `sensitivity`); it gives the maps
    of all targets, or at least of the first `most`.
    """
    settings = settings or Measuring()
    if len(maps) != len(audience.targets):
        raise UsageError(
            f"There are {len(maps)} maps for {len(audience.targets)} targets. Give the audience only the"
            " targets that have a map."
        )
    few = len(maps) if settings.most is None else min(settings.most, len(maps))
    if not few:
        return [None] * len(maps)
    audience, chosen = audience.among(range(few)), maps[:few]
    found = curves(audience, chosen, picture, steps=settings.steps, seed=seed)
    if settings.level is Level.FULL:
        found = _fully(found, audience, picture, chosen, settings, seed, again)
    return [*found, *[None] * (len(maps) - few)]


def with_truth(found: Faithfulness, cam: NDArray[Any], truth: NDArray[np.bool_]) -> Faithfulness:
    """With where the thing really is, for the few images that tell it."""
    return replace(found, pointing=points(cam, truth), overlap=overlap(cam, truth))


def _fully(
    found: Sequence[Faithfulness],
    audience: Audience,
    picture: NDArray[np.uint8],
    maps: Sequence[NDArray[Any]],
    settings: Measuring,
    seed: int,
    again: Again | None,
) -> list[Faithfulness]:
    grid = grid_of(*picture.shape[:2])
    roads = road(audience.through(partial(imputed, seed=seed)), maps, grid, seed=seed)
    apart = infidelity(audience, maps, grid, draws=settings.draws, seed=seed)
    changes: Sequence[float | None] = [None] * len(maps)
    if again is not None:
        changes = sensitivity(maps, again, draws=settings.explanations, seed=seed)
    figures = zip(found, roads, apart, changes, strict=True)
    return [replace(one, road=r, infidelity=i, sensitivity=s) for one, r, i, s in figures]
