"""Iterative stratification of groups (Sechidis, Tsoumakas and Vlahavas 2011, carried over to groups).

Invariant: the rarest label that is still open is served first, and a group goes where that label is wanted
most. With groups of one record this is the algorithm of the paper. Nothing is drawn at random: what the paper
leaves to chance is decided by tickets, which are seeded hashes of names.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Strata", "stratify", "tickets"]

_EQUAL = 1e-9  # wants are sums of shares: closer ones are the same number


@dataclass(frozen=True, slots=True)
class Strata:
    """How often each label occurs in each group, as compressed rows."""

    sizes: NDArray[np.int64]  # records of each group
    starts: NDArray[np.int64]  # where the labels of a group begin, and one more
    labels: NDArray[np.int64]
    counts: NDArray[np.int64]
    width: int  # how many labels there are

    @classmethod
    def of(
        cls, groups: NDArray[np.int64], n: int, rows: NDArray[np.int64], labels: NDArray[np.int64], width: int
    ) -> Strata:
        """From the group of each record, and pairs of a record and a label."""
        cells, counts = np.unique(groups[rows] * max(1, width) + labels, return_counts=True)
        owners, labels = np.divmod(cells, max(1, width))
        starts = np.searchsorted(owners, np.arange(n + 1))
        return cls(np.bincount(groups, minlength=n), starts, labels, counts, width)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The group of each cell."""
        return np.repeat(np.arange(len(self.sizes)), np.diff(self.starts))

    def totals(self, weights: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """How often each label occurs, in all groups or in those that are marked."""
        counts = self.counts if weights is None else self.counts * weights[self.owners]
        return np.bincount(self.labels, counts, self.width).astype(np.int64)


def tickets(names: Iterable[str], seed: int) -> NDArray[np.uint64]:
    """A number for each name that looks drawn by lot and is the same for ever."""
    drawn = b"".join(
        hashlib.blake2b(f"{seed}\0{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for name in names
    )
    return np.frombuffer(drawn, "<u8").astype(np.uint64)


def stratify(
    strata: Strata,
    shares: Sequence[float],
    group_tickets: NDArray[np.uint64],
    label_tickets: NDArray[np.uint64],
    free: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """The split of each free group, as a place in `shares`; groups that are not free get -1."""
    desk = _Desk(strata, shares, group_tickets, free)
    members, begins = _members(strata, group_tickets, free)
    left = desk.left
    while len(left) and left.max() > 0:
        label = _rarest(left, label_tickets)
        for group in members[begins[label] : begins[label + 1]]:
            if desk.placed[group] < 0:
                desk.place(group, desk.want[label])
    unlabelled = np.lexsort((group_tickets, -strata.sizes))
    for group in unlabelled.tolist():
        if free[group] and desk.placed[group] < 0:
            desk.place(group, desk.room)
    return np.array(desk.placed, np.int64)


class _Desk:
    """What every split still wants, kept while groups are placed."""

    def __init__(
        self,
        strata: Strata,
        shares: Sequence[float],
        group_tickets: NDArray[np.uint64],
        free: NDArray[np.bool_],
    ) -> None:
        self._sizes = strata.sizes.tolist()
        self._starts = strata.starts.tolist()
        self._labels = strata.labels.tolist()
        self._counts = strata.counts.tolist()
        self._tickets = group_tickets.tolist()
        total = int(strata.sizes[free].sum())
        self.left = strata.totals(free)
        self.room = [share * total for share in shares]
        self.want: list[list[float]] = (self.left[:, None] * np.array(shares)).tolist()
        self.placed = [-1] * len(self._sizes)

    def place(self, group: int, wants: Sequence[float]) -> None:
        """Give a group to the split that wants it most, and lower its wants."""
        split = self._split(wants, self._tickets[group])
        self.placed[group] = split
        self.room[split] -= self._sizes[group]
        for cell in range(self._starts[group], self._starts[group + 1]):
            label, count = self._labels[cell], self._counts[cell]
            self.want[label][split] -= count
            self.left[label] -= count

    def _split(self, wants: Sequence[float], ticket: int) -> int:
        tied = _largest(wants, range(len(wants)))
        if len(tied) > 1:
            tied = _largest(self.room, tied)
        return tied[ticket % len(tied)]


def _largest(values: Sequence[float], places: Sequence[int]) -> list[int]:
    most = max(values[place] for place in places) - _EQUAL
    return [place for place in places if values[place] >= most]


def _rarest(left: NDArray[np.int64], label_tickets: NDArray[np.uint64]) -> int:
    """The open label with the fewest records; the lower ticket breaks a tie."""
    fewest = left[left > 0].min()
    tied = np.flatnonzero(left == fewest)
    return int(tied[np.argmin(label_tickets[tied])])


def _members(
    strata: Strata, group_tickets: NDArray[np.uint64], free: NDArray[np.bool_]
) -> tuple[list[int], list[int]]:
    """The free groups of each label, those that hold it most often first: large pieces are hard to place."""
    owners = strata.owners
    cells = np.flatnonzero(free[owners])
    order = cells[np.lexsort((group_tickets[owners[cells]], -strata.counts[cells], strata.labels[cells]))]
    begins = np.searchsorted(strata.labels[order], np.arange(strata.width + 1))
    return owners[order].tolist(), begins.tolist()
