"""Perceptual hashes: 64 bits that stay nearly the same when a picture is scaled, saved again or made grey.

Invariant: a hash depends on the 32 x 32 grey picture alone, so equal pictures have equal hashes everywhere.

pHash: the two-dimensional DCT-II (orthonormal) of the picture; its 8 x 8 lowest frequencies, the first
coefficient too; a bit is set where a coefficient is above the median of the 64.
dHash: the picture averaged down to 8 rows of 9; a bit is set where a value is below its right neighbour.
Bits are read row by row, the first is the highest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.survey.survey import SMALL

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["dhashes", "phashes"]

_SIDE = 8
_BATCH = 4096  # pictures at a time: 32 MiB as numbers
_DECIMALS = 3  # kept of a coefficient, so that the order of additions decides no bit


def phashes(small: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The pHash of each picture of an n x 32 x 32 array."""
    rows = _cosines()
    return _in_batches(small, lambda grey: _phash_bits(rows @ grey @ rows.T))


def dhashes(small: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The dHash of each picture of an n x 32 x 32 array."""
    down, across = _averages(_SIDE), _averages(_SIDE + 1)
    return _in_batches(small, lambda grey: _rising(down @ grey @ across.T))


def _in_batches(
    small: NDArray[np.uint8], bits_of: Callable[[NDArray[np.float64]], NDArray[np.bool_]]
) -> NDArray[np.uint64]:
    hashes = np.zeros(len(small), np.uint64)
    for start in range(0, len(small), _BATCH):
        part = slice(start, start + _BATCH)
        bits = bits_of(small[part].astype(np.float64)).reshape(-1, 64)
        hashes[part] = np.packbits(bits, axis=1).view(">u8")[:, 0]
    return hashes


def _phash_bits(frequencies: NDArray[np.float64]) -> NDArray[np.bool_]:
    lowest = np.round(frequencies, _DECIMALS).reshape(-1, _SIDE * _SIDE)
    return lowest > np.median(lowest, axis=1, keepdims=True)


def _rising(grey: NDArray[np.float64]) -> NDArray[np.bool_]:
    grey = np.round(grey, _DECIMALS)
    return grey[:, :, :-1] < grey[:, :, 1:]


def _cosines() -> NDArray[np.float64]:
    """The 8 lowest rows of the DCT matrix: times a column of 32 values they give its low frequencies."""
    frequency, place = np.arange(_SIDE)[:, None], np.arange(SMALL)[None, :]
    rows = np.sqrt(2 / SMALL) * np.cos(np.pi * (2 * place + 1) * frequency / (2 * SMALL))
    rows[0] /= np.sqrt(2)
    return rows


def _averages(wanted: int) -> NDArray[np.float64]:
    """The matrix that averages 32 values down to fewer; a value on a border counts in part on both sides."""
    edges = np.linspace(0, SMALL, wanted + 1)
    low, high = edges[:-1, None], edges[1:, None]
    place = np.arange(SMALL)[None, :]
    covered = np.clip(np.minimum(high, place + 1) - np.maximum(low, place), 0, 1)
    return covered / covered.sum(axis=1, keepdims=True)
