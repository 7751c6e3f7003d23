"""How much little pictures differ, and how much each of them varies.

Invariant: a picture that is brighter by the same amount everywhere does not differ, and a difference is never
larger than the way round by a third picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["contrasts", "differences"]

_BLOCK = 512  # pictures looked at together: 2 MiB, which stay in the cache of the processor


def differences(
    small: NDArray[np.uint8], pairs: NDArray[np.int64], others: NDArray[np.uint8] | None = None
) -> NDArray[np.float64]:
    """How much the pictures of each pair differ: the standard deviation of their difference, 0 to 1.

    The second of a pair is one of `others`, where they are given.
    """
    found = np.zeros(len(pairs))
    seconds = small if others is None else others
    for start in range(0, len(pairs), _BLOCK):
        first, second = pairs[start : start + _BLOCK].T
        apart = (small[first].astype(np.float32) - seconds[second]).reshape(len(first), -1)
        squares = np.einsum("ij,ij->i", apart, apart) / apart.shape[1]
        found[start : start + _BLOCK] = np.sqrt(np.maximum(squares - apart.mean(axis=1) ** 2, 0)) / 255
    return found


def contrasts(small: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How many grey levels each picture varies."""
    found = np.zeros(len(small))
    for start in range(0, len(small), _BLOCK):
        part = slice(start, start + _BLOCK)
        found[part] = small[part].std(axis=(1, 2), dtype=np.float32)
    return found
