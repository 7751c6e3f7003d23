"""Arithmetic on columns of lists, without a Python loop over rows.

Invariant: rows keep their number and their order, values keep their order within a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

__all__ = [
    "lengths",
    "membership",
    "rows_of",
    "shared_in_rows",
    "single",
    "split_cells",
    "where",
    "without",
    "without_rows_of",
]


def single(column: Any) -> Any:
    """A column as one array that starts at its first value."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.concat_arrays([array]) if array.offset else array


def lengths(column: Any) -> NDArray[np.int64]:
    """How many values each row has."""
    return np.diff(_offsets(single(column)))


def rows_of(column: Any) -> NDArray[np.int64]:
    """The row of each value, over all values of the column."""
    counted = lengths(column)
    return np.repeat(np.arange(len(counted)), counted)


def where(column: Any, keep: NDArray[np.bool_]) -> Any:
    """The column with only the values that `keep` marks, one mark for each value."""
    array = single(column)
    counted = np.concatenate(([0], np.cumsum(keep)))[_offsets(array)]
    values = array.flatten().filter(pa.array(keep))
    return pa.ListArray.from_arrays(pa.array(counted.astype(np.int32)), values)


def membership(column: Any, values: Collection[str]) -> NDArray[np.bool_]:
    """For each value of the column whether it is one of `values`."""
    import pyarrow.compute as pc

    flat = single(column).flatten()
    return pc.is_in(flat, pa.array(sorted(values), pa.string())).to_numpy(zero_copy_only=False)


def without(column: Any, values: Collection[str]) -> Any:
    """The column less some values."""
    return where(column, ~membership(column, values))


def without_rows_of(column: Any, other: Any) -> Any:
    """Row by row the values of the first column that the second does not have.

    >>> a, b = pa.array([["x", "y"], ["x"]]), pa.array([["x"], ["y"]])
    >>> without_rows_of(a, b).to_pylist()
    [['y'], ['x']]
    """
    return where(column, ~shared_in_rows(column, other))


def shared_in_rows(column: Any, other: Any) -> NDArray[np.bool_]:
    """For each value of the first column whether the second has it in the same row."""
    first, second = single(column), single(other)
    codes = pa.concat_arrays([first.flatten(), second.flatten()]).dictionary_encode()
    numbers = codes.indices.to_numpy().astype(np.int64)
    width = max(1, len(codes.dictionary))
    cut = len(first.flatten())
    mine = rows_of(first) * width + numbers[:cut]
    theirs = rows_of(second) * width + numbers[cut:]
    return np.isin(mine, theirs)


def split_cells(cells: Any, separator: str = ";") -> Any:
    """Cells such as `C1;C2` as lists; blanks around a part go, empty parts too.

    >>> split_cells(pa.array(["C1; C2;", ""])).to_pylist()
    [['C1', 'C2'], []]
    """
    import pyarrow.compute as pc

    parts = pc.split_pattern(single(cells), separator)
    flat = pc.utf8_trim_whitespace(parts.flatten())
    parts = pa.ListArray.from_arrays(parts.offsets, flat)
    return where(parts, pc.not_equal(flat, "").to_numpy(zero_copy_only=False))


def _offsets(array: Any) -> NDArray[np.int64]:
    return array.offsets.to_numpy().astype(np.int64)
