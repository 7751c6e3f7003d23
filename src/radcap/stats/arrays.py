"""Arrays of scores: rows are images, columns are runs under a metric, NaN means 'does not count here'.

Invariant: equal columns stay equal whatever is computed from them, and their order has no influence.
>>> columns, place = distinct_columns(np.array([[0.5, 1.0, 0.5], [0.0, 1.0, 0.0]]))
>>> columns.shape, place[0] == place[2]
((2, 2), True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from radcap.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CELLS_AT_ONCE", "Floats", "distinct_columns", "rows_at_once", "sums_by_group"]

Floats: TypeAlias = NDArray[np.float64]

CELLS_AT_ONCE = 2**21  # 16 MiB of float64: random matrices are made and used in pieces of this size


def rows_at_once(width: int) -> int:
    """How many rows of a random matrix of this width are made together."""
    return max(1, CELLS_AT_ONCE // max(1, width))


def distinct_columns(values: Floats) -> tuple[Floats, list[int]]:
    """Each different column once, in an order that is their own, and the place of every given column.

    A matrix product may round equal columns differently, since the position decides how it adds.
    """
    keys = [column.tobytes() for column in (values + 0.0).T]  # + 0.0 takes the sign from a negative zero
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    columns = np.stack([np.frombuffer(key, dtype=np.float64) for key in places], axis=1)
    return columns, [places[key] for key in keys]


def sums_by_group(values: Floats, groups: Sequence[str]) -> Floats:
    """The sum of each column over the images of each group: (groups, columns), groups by name.

    >>> sums_by_group(np.array([[1.0], [2.0], [4.0]]), ["b", "a", "b"]).tolist()
    [[2.0], [5.0]]
    """
    if len(groups) != len(values):
        raise ValueError(f"{counted(len(groups), 'group')} came for {counted(len(values))}.")
    member = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    sums = np.zeros((int(member.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(sums, member, values)
    return sums
