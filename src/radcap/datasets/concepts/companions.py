"""The concepts that stand on the same images as one.

Invariant: p is corrected by Holm's method for all other concepts of the dataset, also those that are not
listed; a concept is called associated where it stands there more often than chance has it, and p stays
below 0.05.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.concepts.association import chance_p, expected_together, g_statistics
from radcap.stats import holm_adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.core import Cui
    from radcap.datasets.concepts.labelling import Labelling

__all__ = ["Companion", "Companions", "companions"]

MOST = 10
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Companion:
    """Another concept on the images of one."""

    cui: Cui
    name: str
    images: int  # with both
    share: float  # of the images of the one
    expected: float  # images with both, if neither knew of the other
    lift: float  # images over expected
    pmi: float  # its logarithm, in bits
    g: float
    p: float


@dataclass(frozen=True, slots=True)
class Companions:
    """Those seen most often, and those seen more often than chance has it, the surest first."""

    frequent: tuple[Companion, ...]
    associated: tuple[Companion, ...]
    different: int  # concepts that stand beside it at all


def companions(labelling: Labelling, code: int, most: int = MOST) -> Companions:
    """What stands beside a concept."""
    frequencies, images = labelling.frequencies, labelling.labels.images
    together = labelling.beside.together(code)
    others = np.flatnonzero(np.arange(len(together)) != code)
    first, second = int(frequencies[code]), frequencies[others]
    g = g_statistics(together[others], first, second, images)
    p = np.array(holm_adjusted(chance_p(g)))
    expected = expected_together(first, second, images)

    def listed(keys: NDArray[np.float64], kept: NDArray[np.bool_]) -> tuple[Companion, ...]:
        places: Sequence[int] = np.argsort(-keys, kind="stable").tolist()
        chosen = [place for place in places if kept[place]][:most]
        return tuple(made(place) for place in chosen)

    def made(place: int) -> Companion:
        other = int(others[place])
        both, chance = int(together[other]), float(expected[place])
        cui = labelling.labels.cuis[other]
        return Companion(
            cui=cui,
            name=labelling.name(cui),
            images=both,
            share=both / first,
            expected=chance,
            lift=both / chance,
            pmi=math.log2(both / chance),
            g=float(g[place]),
            p=float(p[place]),
        )

    counts = together[others].astype(np.float64)
    return Companions(
        frequent=listed(counts, counts > 0),
        associated=listed(g, (counts > expected) & (p < ALPHA)),
        different=int((together > 0).sum()),
    )
