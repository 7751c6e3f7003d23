"""Lists of unequal length, one for each owner, looked up for many owners at once.

>>> lists = Ragged.of([2, 0, 2], owners=3)
>>> [each.tolist() for each in lists.of_all(np.array([2, 1, 2, 0]))]
[[0, 0, 2, 2, 3], [0, 2, 0, 2, 1]]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ints", "Ragged"]

Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Numbers of items, those of an owner together."""

    items: Ints
    starts: Ints  # where the items of each owner start, and where the last of them end

    @classmethod
    def of(cls, owner: Sequence[int], owners: int) -> Ragged:
        """From the owner of each item."""
        by_owner = np.array(owner, np.int64)
        order = np.argsort(by_owner, kind="stable")
        return cls(order, np.searchsorted(by_owner[order], np.arange(owners + 1)))

    def of_all(self, owners: Ints) -> tuple[Ints, Ints]:
        """The items of all these owners: the place of the owner among them, and the item."""
        first = self.starts[owners]
        counts = self.starts[owners + 1] - first
        place = np.repeat(np.arange(len(owners)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return place, self.items[first[place] + within]
