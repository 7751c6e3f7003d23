"""Per-image scores of several runs under several metrics, made up from a seed.

Invariant: the same sizes and seed give the same array, (images, metrics, runs). Runs share how hard an image
is and differ by little, so that some pairs can be told apart and others cannot. Who reads the sizes alone
does not load NumPy: a script that measures memory must stay small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthetic import SEED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["METRICS", "ONE_METRIC", "ONE_PAIR", "synthetic_scores"]

METRICS = 3
ONE_METRIC, ONE_PAIR = 1, (0, 2)  # what is tested by itself where all would take too long
_GRID = 1024  # steps from 0 to 1: sums of such values are exact, so what ties is seen to tie by every way
_STEP = 0.0007  # how much better each run is than the one before


def synthetic_scores(images: int, runs: int, seed: int = SEED) -> NDArray[np.float64]:
    import numpy as np

    random = np.random.default_rng(seed)
    image = random.beta(2, 3, size=(images, METRICS, 1))
    own = random.normal(0, 0.1, size=(images, METRICS, runs))
    values = np.clip(image + own + _STEP * np.arange(runs), 0, 1)
    return np.round(values * _GRID) / _GRID
