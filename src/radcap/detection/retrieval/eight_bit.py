"""Coarse scores from products of 8-bit integers, three times as fast as those of floats.

Invariant: the slack is a proof, not an estimate. With x' and q' the rounded vectors,
|qx - q'x'| <= |q - q'| |x| + |q'| |x - x'|, from lengths that are measured after rounding.

The mean of all vectors is taken off: a query's product with it is the same for each, so it orders nothing. A
rotation by signs and Hadamard blocks evens out large dimensions, which would make all steps coarse. The
products are torch's: NumPy has none for integers that is fast.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import repeat
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from radcap.detection.retrieval.coarse import half_squares, lengths, rounding
from radcap.detection.retrieval.config import Metric
from radcap.detection.retrieval.vectors import Floats, Vectors

__all__ = ["EightBitProducts", "eight_bit_pays"]

_WORTH = 2e11  # multiplications: below it, loading torch costs more than it saves
_BLOCK = 128  # of the rotation
_ROWS = 512  # rotated and rounded together: they stay in the processor's cache
_PROBE = (256, 1280, 4096)  # rows, dimensions and columns of the products that are timed
_TOP = 127
_SPREAD = 5.0  # standard deviations of a rotated vector that the steps reach; what lies beyond is cut
_LEAST = np.float32(1e-30)


class EightBitProducts:
    """Integer products of rounded vectors; under the Euclidean metric scaled back, less half the squares."""

    def __init__(self, vectors: Vectors, queries: Vectors, metric: Metric) -> None:
        self._torch = import_module("torch")
        centre = vectors.mean(axis=0)
        away = queries - centre if metric == "euclid" else queries  # distances do not know where 0 is
        reach = np.float32(lengths(vectors).max(initial=0) + lengths(centre[None])[0])
        near = _Rounded(vectors, centre, one_step=True)
        asked = _Rounded(away, np.zeros_like(centre), one_step=False)
        self._vectors = self._torch.from_numpy(near.integers).T
        self._queries = self._torch.from_numpy(asked.integers)
        self._scale = asked.steps * near.steps.max(initial=0)
        self._half = _half_squares(vectors, centre) if metric == "euclid" else None
        self._out: Any = None
        self.unit = self._scale if self._half is None else np.ones_like(self._scale)
        self.offset = queries @ centre if self._half is None else -half_squares(away)
        near_error = near.errors.max(initial=0)
        slack = asked.errors * (near.lengths.max(initial=0) + near_error) + asked.lengths * near_error
        far = (lengths(away) + reach) * (reach if self._half is None else lengths(away) + reach)
        self.slack: Floats = slack + 4 * rounding(vectors.shape[1]) * far

    def block(self, start: int, stop: int) -> NDArray[Any]:
        if self._out is None or self._out.shape[0] != stop - start:
            shape = (stop - start, self._vectors.shape[1])
            self._out = self._torch.empty(shape, dtype=self._torch.int32)
        # the name is not public yet; PyTorch's own quantisation is built on it
        self._torch._int_mm(self._queries[start:stop], self._vectors, out=self._out)
        scores: NDArray[Any] = self._out.numpy()
        if self._half is None:
            return scores
        values = np.multiply(scores, self._scale[start:stop, None], dtype=np.float32, casting="unsafe")
        values -= self._half
        return values


class _Rounded:
    """Rows, less a centre and rotated, as integers: how far each is from its vector, its length, its step."""

    def __init__(self, vectors: Vectors, centre: Vectors, *, one_step: bool) -> None:
        self._signs, self._turn = _rotation(vectors.shape[1])
        self.integers = np.empty((len(vectors), len(self._signs)), np.int8)
        self.errors, self.lengths, self.steps = (np.empty(len(vectors), np.float32) for _ in range(3))
        blocks = [vectors[start : start + _ROWS] for start in range(0, len(vectors), _ROWS)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            if one_step:
                longest = pool.map(_longest, blocks, repeat(centre))
                self.steps[:] = max(
                    _SPREAD * max(longest, default=0) / np.sqrt(len(self._signs)) / _TOP, _LEAST
                )
            for _ in pool.map(
                self._round, range(0, len(vectors), _ROWS), blocks, repeat(centre), repeat(one_step)
            ):
                pass

    def _round(self, start: int, rows: Vectors, centre: Vectors, one_step: bool) -> None:
        here = slice(start, start + len(rows))
        wide = np.zeros((len(rows), len(self._signs)), np.float32)
        np.subtract(rows, centre, out=wide[:, : len(centre)])
        wide *= self._signs
        turned = (wide.reshape(-1, _BLOCK) @ self._turn).reshape(wide.shape)
        if not one_step:
            self.steps[here] = np.maximum(np.abs(turned).max(axis=1) / np.float32(_TOP), _LEAST)
        steps = self.steps[here, None]
        whole = np.rint(np.divide(turned, steps, out=wide), out=wide)
        self.integers[here] = np.clip(whole, -_TOP, _TOP, out=whole)
        whole *= steps
        self.lengths[here] = lengths(whole)
        self.errors[here] = lengths(np.subtract(turned, whole, out=whole))


def _longest(rows: Vectors, centre: Vectors) -> float:
    return float(lengths(rows - centre).max())


def _half_squares(vectors: Vectors, centre: Vectors) -> NDArray[np.float32]:
    parts = [vectors[start : start + _ROWS] - centre for start in range(0, len(vectors), _ROWS)]
    return np.concatenate([half_squares(part) for part in parts])


def _rotation(width: int) -> tuple[Vectors, Vectors]:
    """The signs of all dimensions, filled up to whole blocks, and one block. They keep lengths."""
    signs = np.random.default_rng(0).choice(np.array([-1, 1], np.float32), -(-width // _BLOCK) * _BLOCK)
    block = np.ones((1, 1), np.float32)
    while len(block) < _BLOCK:
        block = np.block([[block, block], [block, -block]])
    return signs, (block / np.sqrt(_BLOCK)).astype(np.float32)


def eight_bit_pays(vectors: int, queries: int, width: int) -> bool:
    """Whether so many products are made sooner with integers; the answer is the same either way."""
    return vectors * queries * width >= _WORTH and find_spec("torch") is not None and _faster_here()


@lru_cache(maxsize=1)
def _faster_here() -> bool:
    """Whether this processor multiplies 8-bit integers at least half as fast again as floats.

    Processor time is compared, so that other programs have no say.
    """
    torch = import_module("torch")
    rows, width, columns = _PROBE
    left, right = np.ones((rows, width), np.int8), np.ones((columns, width), np.int8)
    first, second = torch.from_numpy(left), torch.from_numpy(right).T
    floats = left.astype(np.float32), right.astype(np.float32).T
    whole = min(_seconds(lambda: torch._int_mm(first, second)) for _ in range(3))
    plain = min(_seconds(lambda: floats[0] @ floats[1]) for _ in range(3))
    return whole * 1.5 < plain


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start
