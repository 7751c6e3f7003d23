"""How often values occur, and how numbers are spread.

Invariant: counts come most frequent first, equal ones by name, so that the same data gives the same list.
>>> distribution(np.array([1, 1, 4])).mean
2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from radcap.datasets.lists import single

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["UNKNOWN", "Count", "Distribution", "Partition", "count_values", "distribution", "partition"]

UNKNOWN = "unknown"
_REST = "all others"


@dataclass(frozen=True, slots=True)
class Count:
    """A value and how often it occurs."""

    name: str
    n: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """How whole numbers are spread. Of no numbers, all is zero."""

    n: int
    total: int
    mean: float
    median: float
    minimum: int
    maximum: int
    histogram: tuple[tuple[int, int], ...]  # each value that occurs and how often

    def below(self, limit: int) -> int:
        """How many of the numbers are smaller."""
        return sum(times for value, times in self.histogram if value < limit)


def distribution(values: NDArray[Any]) -> Distribution:
    """The spread of whole numbers, zero or more."""
    if not len(values):
        return Distribution(0, 0, 0.0, 0.0, 0, 0, ())
    found, times = np.unique(values, return_counts=True)
    total = int(values.sum())
    return Distribution(
        n=len(values),
        total=total,
        mean=total / len(values),
        median=float(np.median(values)),
        minimum=int(found[0]),
        maximum=int(found[-1]),
        histogram=tuple(zip(found.tolist(), times.tolist(), strict=True)),
    )


def count_values(column: Any, weights: NDArray[Any] | None = None) -> tuple[Count, ...]:
    """Each text of a column that is not empty; `weights` says how much each row counts."""
    coded = single(column).dictionary_encode()
    numbers = np.bincount(coded.indices.to_numpy(), weights, len(coded.dictionary))
    counted = zip(coded.dictionary.to_pylist(), numbers.tolist(), strict=True)
    return sorted_counts([Count(name, int(n)) for name, n in counted if name and n])


def sorted_counts(counts: Sequence[Count]) -> tuple[Count, ...]:
    return tuple(sorted(counts, key=lambda one: (-one.n, one.name)))


@dataclass(frozen=True, slots=True)
class Partition:
    """Rows put into named groups; `codes` has the place of the name for each row."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(np.bincount(self.codes, minlength=len(self.names)).tolist())

    def name_of(self, row: int) -> str:
        """The group of one row."""
        return self.names[int(self.codes[row])]

    def rows(self, place: int) -> NDArray[np.int64]:
        """The rows of one group."""
        return np.flatnonzero(self.codes == place)


def partition(column: Any, order: Sequence[str] | None = None, most: int = 24) -> Partition:
    """Rows by the text of a column: in the order given, else most frequent first.

    Rows without text are `unknown`. Without an order, all names beyond `most` are one group, so that a column
    of free text cannot make a table as long as the dataset.
    """
    texts = pc.if_else(pc.equal(single(column), ""), UNKNOWN, single(column))
    names = [one.name for one in count_values(texts)] if order is None else [*order]
    if order is None and len(names) > most:
        names = [*names[:most], _REST]
    codes = pc.index_in(texts, pa.array(names, pa.string())).fill_null(len(names) - 1)
    return Partition(tuple(names), codes.to_numpy(zero_copy_only=False).astype(np.int64))
