"""The arrays of detection: one row for each image, one column for each label.

Invariant: what passes a check here has the right shape and no NaN, so nothing below has to look again.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from radcap.core.errors import UsageError
from radcap.core.processes import default_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from radcap.core.runs import Cui

__all__ = [
    "Bools",
    "Floats",
    "Ints",
    "Numbers",
    "checked_labels",
    "checked_logits",
    "checked_probabilities",
    "checked_truth",
    "in_row_chunks",
    "numbered",
    "row_chunks",
    "sums_at",
]

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.floating[Any]]  # float32 or float64, as the model gave them

T = TypeVar("T")
_CELLS = 2**21  # of a matrix that are worked on together


def numbered(count: int) -> Ints:
    """0, 1, 2, ... so many."""
    return np.arange(count, dtype=np.int64)


def sums_at(places: NDArray[Any], values: NDArray[Any], count: int) -> Floats:
    """The sum of the values at each place."""
    return np.bincount(places, weights=values, minlength=count).astype(np.float64, copy=False)


def row_chunks(rows: int, width: int, cells: int = _CELLS) -> list[slice]:
    """Slices of rows, each of about so many cells."""
    step = max(1, cells // max(1, width))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def in_row_chunks(work: Callable[[slice], T], rows: int, width: int, cells: int = _CELLS) -> list[T]:
    """The result of `work` for each slice of rows, in order; threads, since numpy lets others work."""
    chunks = row_chunks(rows, width, cells)
    workers = min(default_workers(), len(chunks))
    if workers <= 1:
        return [work(chunk) for chunk in chunks]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, chunks))


def checked_labels(labels: Sequence[Cui]) -> tuple[Cui, ...]:
    """The labels, each once."""
    again = sorted(label for label, times in Counter(labels).items() if times > 1)
    if again:
        raise UsageError(f"Labels repeat: {', '.join(again[:5])}. Give each column a label of its own.")
    return tuple(labels)


def checked_logits(logits: NDArray[Any], columns: int) -> Numbers:
    """Logits as they are, if all of them are numbers."""
    return _checked("Logits", logits, columns, "Look for a training that diverged.", -np.inf, np.inf)


def checked_probabilities(probabilities: NDArray[Any], columns: int) -> Numbers:
    """Probabilities as they are, if all of them are from 0 to 1."""
    low, high = np.nextafter(0.0, -1.0), np.nextafter(1.0, 2.0)
    return _checked("Probabilities", probabilities, columns, "Calibrate logits first.", low, high)


def _checked(what: str, values: NDArray[Any], columns: int, hint: str, low: float, high: float) -> Numbers:
    """Values strictly between two ends; NaN is not."""
    _check_shape(what, values, columns)
    if values.dtype not in {np.dtype(np.float32), np.dtype(np.float64)}:
        raise UsageError(f"{what} are {values.dtype}. Give them as float32 or float64.")
    for chunk in row_chunks(*values.shape):
        part = values[chunk]
        fine = (part > low) & (part < high)
        if not fine.all():
            row, column = (int(place[0]) for place in np.nonzero(~fine))
            found = f"{what} hold {part[row, column]} in row {chunk.start + row}, column {column}"
            raise UsageError(f"{found}, which cannot be used. {hint}")
    return values


def checked_truth(truth: NDArray[Any], columns: int, rows: int | None = None) -> Bools:
    """Truth as it is, if it is of type bool and has as many rows as told."""
    _check_shape("Truth", truth, columns)
    if truth.dtype != np.bool_:
        raise UsageError(f"Truth is {truth.dtype}. Give it as bool, True where an image has the label.")
    if rows is not None and len(truth) != rows:
        raise UsageError(
            f"Truth has {len(truth)} rows, predictions have {rows}. Give both for the same images."
        )
    return truth


def _check_shape(what: str, values: NDArray[Any], columns: int) -> None:
    if values.shape[1:] != (columns,):
        shape = " x ".join(map(str, values.shape)) or "one number"
        raise UsageError(f"{what} have shape {shape}. Give images x {columns} labels.")
