"""Images that are there more than once: the same file, the same pixels, or nearly the same picture.

Invariant: a hash only proposes. Pictures of the same view collide, so a pair is called nearly the same when
its 32 x 32 copies differ by less than the threshold, and never by its hashes alone.

Found are copies that were scaled, saved again, made grey or coloured, mirrored, inverted or marked by an
arrow; also neighbouring slices of one patient, which are as bad in two splits. Not found are copies cut or
framed by more than about one part in a hundred of a side, or turned; tests show what holds. A picture that
is there many times makes a crowd: one cluster without a list of all its pairs, see `crowds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.survey.components import components, groups_of_many
from radcap.datasets.survey.crowds import find_crowds
from radcap.datasets.survey.differences import contrasts, differences
from radcap.datasets.survey.hashes import dhashes, phashes
from radcap.datasets.survey.near_pairs import near_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from radcap.datasets.survey.survey import Survey

__all__ = ["Duplicates", "Way", "find_duplicates"]

THRESHOLD = 0.05  # AntiDuplX calls pictures equal below this standard deviation of their difference
_FLAT = 1.0  # grey levels: pictures that vary less show nothing that could be compared


class Way(StrEnum):
    """How the second picture of a pair has to be turned to look like the first."""

    PLAIN = "plain"
    MIRRORED = "mirrored"  # left and right changed
    INVERTED = "inverted"  # black and white changed


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Places of records, always ascending. A group has at least two."""

    files: tuple[tuple[int, ...], ...]  # groups with the same bytes
    pixels: tuple[tuple[int, ...], ...]  # groups with the same pixels, whatever the files
    crowds: tuple[tuple[int, ...], ...]  # groups of which every two are nearly the same, too many to list
    # m x 2: confirmed pairs. Of images with the same pixels, and of a crowd, the first stands for all; within
    # a crowd it is paired with each of the others.
    near: NDArray[np.int64]
    differences: NDArray[np.float64]  # m: standard deviation of the difference, 0 to 1
    ways: tuple[Way, ...]  # m
    clusters: tuple[tuple[int, ...], ...]  # connected components of all of these


def find_duplicates(survey: Survey, *, distance: int = 3, threshold: float = THRESHOLD) -> Duplicates:
    """Everything in a survey that is there more than once."""
    files = _equal(survey.digests)
    pixels = _equal(survey.pixel_digests)
    firsts = _first_of(len(survey.ids), pixels)
    shown = firsts[contrasts(survey.small)[firsts] >= _FLAT]
    found = find_crowds(survey.small[shown], survey.phashes[shown], threshold)
    crowds = tuple(tuple(shown[list(crowd)].tolist()) for crowd in found)
    near, apart, ways = _near(survey, shown[_first_of(len(shown), found)], crowds, distance, threshold)
    chains = [np.array((group[:-1], group[1:])).T for group in (*files, *pixels)]
    linked = components(len(survey.ids), np.concatenate([near, *chains]))
    return Duplicates(files, pixels, crowds, near, apart, ways, groups_of_many(linked))


@dataclass(frozen=True, slots=True)
class _Pictures:
    """Little pictures with their hashes."""

    small: NDArray[np.uint8]
    phashes: NDArray[np.uint64]
    dhashes: NDArray[np.uint64]

    @classmethod
    def of(cls, survey: Survey, places: NDArray[np.int64]) -> _Pictures:
        return cls(survey.small[places], survey.phashes[places], survey.dhashes[places])

    def turned(self, way: Way) -> _Pictures:
        small = self.small[:, :, ::-1] if way is Way.MIRRORED else 255 - self.small
        return _Pictures(small, phashes(small), dhashes(small))

    def proposed(self, other: _Pictures | None, distance: int) -> NDArray[np.int64]:
        """Pairs with near hashes, of these pictures or of each of these with each of the others."""
        hashes = [(self.phashes, other and other.phashes), (self.dhashes, other and other.dhashes)]
        found = [
            near_pairs(mine, distance) if theirs is None else _between(mine, theirs, distance)
            for mine, theirs in hashes
        ]
        return _distinct(np.concatenate(found))[0]


def _near(
    survey: Survey,
    places: NDArray[np.int64],
    crowds: Sequence[Sequence[int]],
    distance: int,
    threshold: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64], tuple[Way, ...]]:
    """Confirmed pairs, how much they differ, and how; a pair is named in the first way that holds."""
    pictures = _Pictures.of(survey, places)
    stars = [(crowd[0], one) for crowd in crowds for one in crowd[1:]]
    pairs = np.array(stars, np.int64).reshape(-1, 2)
    apart, ways = differences(survey.small, pairs), np.full(len(pairs), Way.PLAIN, object)
    for way in Way:
        turned = None if way is Way.PLAIN else pictures.turned(way)
        proposed = pictures.proposed(turned, distance)
        differing = differences(pictures.small, proposed, turned.small if turned else None)
        pairs = np.concatenate([pairs, places[proposed[differing < threshold]]])
        apart = np.concatenate([apart, differing[differing < threshold]])
        ways = np.append(ways, [way] * (len(pairs) - len(ways)))
    pairs, first = _distinct(pairs)
    return pairs, apart[first], tuple(ways[first])


def _distinct(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each pair once, in order, and where it stood first."""
    _, first = np.unique(pairs[:, 0] << 32 | pairs[:, 1], return_index=True)
    return pairs[first], first


def _between(mine: NDArray[np.uint64], theirs: NDArray[np.uint64], distance: int) -> NDArray[np.int64]:
    """Pairs i < j where my hash i is near their hash j or my j near their i."""
    n = len(mine)
    pairs = near_pairs(np.concatenate([mine, theirs]), distance)
    pairs = pairs[(pairs[:, 0] < n) & (pairs[:, 1] >= n)] - (0, n)
    return np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)


def _equal(digests: NDArray[np.bytes_]) -> tuple[tuple[int, ...], ...]:
    """Groups of places with the same digest; no digest is equal to none."""
    there = np.flatnonzero(digests != b"")
    _, labels = np.unique(digests[there], return_inverse=True)
    return tuple(tuple(there[list(group)].tolist()) for group in groups_of_many(labels))


def _first_of(n: int, groups: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """One place for each content: those of no group, and the first of each."""
    first = np.ones(n, bool)
    first[[place for group in groups for place in group[1:]]] = False
    return np.flatnonzero(first)
