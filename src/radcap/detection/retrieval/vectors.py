"""Embeddings as they are searched: float32, finite, of length 1 under cosine.

Invariant: a vector of zeros stays one: it has no direction, and its cosine to everything is 0.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.core import InputError, UsageError
from radcap.detection.retrieval.config import Metric

__all__ = ["Floats", "Vectors", "checked", "prepared"]

Vectors: TypeAlias = NDArray[np.float32]  # (image, dimension)
Floats: TypeAlias = NDArray[np.float32]

_AXES = 2
_SHOWN = 5
_ROWS = 512  # scaled together: they stay in the processor's cache
_LEAST = np.float32(1e-30)


def checked(values: NDArray[Any], what: str, width: int | None = None) -> NDArray[Any]:
    """The same array, after the check that it holds embeddings."""
    if values.ndim != _AXES or not np.issubdtype(values.dtype, np.floating):
        raise UsageError(
            f"{what} are {values.dtype} of shape {values.shape}. Embeddings are rows of float16 or float32. "
            "Give an array of (image, dimension)."
        )
    if width is not None and values.shape[1] != width:
        raise UsageError(
            f"{what} have {values.shape[1]:,} dimensions and the index {width:,}. They come from different "
            "networks. Embed both with the same one."
        )
    bad = np.flatnonzero(~np.isfinite(values.sum(axis=1, dtype=np.float64)))
    bad = bad[~np.isfinite(values[bad]).all(axis=1)]
    if len(bad):
        raise InputError(
            f"{what}: {len(bad):,} of {len(values):,} rows hold NaN or infinity, e.g. rows "
            f"{', '.join(map(str, bad[:_SHOWN].tolist()))}. Nothing is near to them. Embed them again."
        )
    return values


def prepared(values: NDArray[Any], metric: Metric) -> Vectors:
    """Rows in float32, contiguous; of length 1 under cosine."""
    if metric == "euclid":
        return np.ascontiguousarray(values, np.float32)
    made = np.empty(values.shape, np.float32)

    def scale(start: int) -> None:
        here = slice(start, start + _ROWS)
        rows = values[here].astype(np.float32)
        rows /= np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0), _LEAST)  # no overflow
        np.divide(rows, np.maximum(np.sqrt(np.vecdot(rows, rows))[:, None], _LEAST), out=made[here])

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # most of it is memory that is touched first
        for _ in pool.map(scale, range(0, len(values), _ROWS)):
            pass
    return made
