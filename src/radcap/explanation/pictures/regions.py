"""Connected regions of a mask.

Invariant: two pixels have the same label exactly if a way of steps up, down, left and right joins them;
labels count from 1 in the order in which regions begin, row by row. The work
grows with runs of pixels, not with regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.survey.components import components

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["labelled"]


def labelled(mask: NDArray[np.bool_]) -> tuple[NDArray[np.intp], int]:
    """The label of each pixel, 0 outside the mask, and how many regions there are."""
    runs = _runs(mask)
    above, below = runs[:-1], runs[1:]
    touching = (above > 0) & (below > 0)
    pairs = np.stack([above[touching], below[touching]], axis=1)
    new = np.any(pairs[1:] != pairs[:-1], axis=1)  # two runs touch along many pixels, which follow each other
    pairs = pairs[np.concatenate([np.ones(min(1, len(pairs)), np.bool_), new])]
    roots = components(int(runs.max(initial=0)) + 1, pairs)
    found, names = np.unique(roots, return_inverse=True)  # a root is the first run of its region
    return names[runs], len(found) - 1


def _runs(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Pixels that stand side by side in a row, numbered from 1."""
    starts = mask & ~np.pad(mask, ((0, 0), (1, 0)))[:, :-1]
    return np.where(mask, np.cumsum(starts).reshape(mask.shape), 0)
