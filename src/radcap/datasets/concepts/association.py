"""How strongly two concepts go together, and how sure a share is.

Four numbers tell it: the images both stand on, the images of each, and all images. The test is the G-test of
that two-by-two table with one degree of freedom, uncorrected for continuity; p is corrected elsewhere, for
all concepts one was held against.
Invariant: images count as drawn independently, which images of one article are not.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from radcap.stats import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LEVEL", "chance_p", "expected_together", "g_statistics", "wilson"]

LEVEL = 0.95


def wilson(part: int, whole: int, level: float = LEVEL) -> Interval:
    """Wilson's interval of a share; of nothing it is everything.

    >>> wilson(0, 10).low, round(wilson(0, 10).high, 4)
    (0.0, 0.2775)
    """
    if not whole:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, room = part / whole, z * z / whole
    middle = share + room / 2
    half = z * math.sqrt(share * (1 - share) / whole + room / (4 * whole))
    low = 0.0 if part == 0 else (middle - half) / (1 + room)  # exactly, where rounding would miss it
    high = 1.0 if part == whole else (middle + half) / (1 + room)
    return Interval(low, high)


def expected_together(first: int, second: NDArray[np.int64], images: int) -> NDArray[np.float64]:
    """On how many images both would stand if they did not know of each other."""
    return first * second.astype(np.float64) / images


def g_statistics(
    together: NDArray[np.int64], first: int, second: NDArray[np.int64], images: int
) -> NDArray[np.float64]:
    """G of one concept against each of many.

    >>> g_statistics(np.array([10]), 10, np.array([10]), 20).round(4).tolist()
    [27.7259]
    """
    cells = (
        (together, first, second),
        (first - together, first, images - second),
        (second - together, images - first, second),
        (images - first - second + together, images - first, images - second),
    )
    total = np.zeros(len(together))
    for seen, one, other in cells:
        seen, one, other = (np.asarray(values, np.float64) for values in (seen, one, other))  # noqa: PLW2901
        ratio = np.divide(seen * images, one * other, out=np.ones_like(seen), where=seen > 0)
        total += seen * np.log(ratio)
    return np.maximum(2 * total, 0.0)  # rounding may leave it just below


def chance_p(g: NDArray[np.float64]) -> list[float]:
    """How likely chance alone gives so large a G: the upper tail of chi-square with one degree of freedom.

    >>> [round(p, 4) for p in chance_p(np.array([0.0, 3.8415]))]
    [1.0, 0.05]
    """
    return [math.erfc(one) for one in np.sqrt(g / 2).tolist()]
