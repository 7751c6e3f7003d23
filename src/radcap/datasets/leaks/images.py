"""Images of one dataset that are in another, by pixel evidence and nothing less.

Invariant: near pictures count only where `find_duplicates` has confirmed them by their pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.datasets.leaks.matching import Keyed, Matches, match_keys
from radcap.datasets.survey.duplicates import find_duplicates
from radcap.datasets.survey.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from radcap.datasets.survey.duplicates import Duplicates

__all__ = ["Pictures", "compare_pictures", "survey_of"]

_TEXTS = ("ids", "kinds", "refused", "why")  # the rest are arrays


@dataclass(frozen=True, slots=True)
class Pictures:
    """What two surveys share."""

    files: Matches
    pixels: Matches
    near: Matches  # pictures that were confirmed to look the same, equal ones not among them


def compare_pictures(first: Survey, second: Survey) -> Pictures:
    """Equal files, equal pixels and near pictures of two datasets."""
    both = _joined(first, second)
    cut = len(first.ids)
    found = find_duplicates(both)
    read, decoded = both.digests != b"", both.decoded
    pixels = _classes(len(both.ids), found.pixels)
    return Pictures(
        _match(_classes(len(both.ids), found.files), read, cut),
        _match(pixels, decoded, cut),
        _near(pixels, found, decoded, cut),
    )


def survey_of(survey: Survey, places: NDArray[np.int64]) -> Survey:
    """The survey of some of the records."""
    chosen: list[int] = places.tolist()
    columns: dict[str, Any] = {}
    for one in fields(Survey):
        column: Any = getattr(survey, one.name)
        texts = one.name in _TEXTS
        columns[one.name] = tuple(column[place] for place in chosen) if texts else column[places]
    return Survey(**columns)


def _joined(first: Survey, second: Survey) -> Survey:
    columns: dict[str, Any] = {}
    for one in fields(Survey):
        a: Any = getattr(first, one.name)
        b: Any = getattr(second, one.name)
        columns[one.name] = a + b if one.name in _TEXTS else np.concatenate([a, b])
    return Survey(**columns)


def _classes(n: int, groups: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    """For each place the first of its group."""
    classes = np.arange(n)
    for group in groups:
        classes[list(group)] = group[0]
    return classes


def _match(classes: NDArray[np.int64], seen: NDArray[np.bool_], cut: int) -> Matches:
    rows = np.flatnonzero(seen)
    return match_keys(*_sides(rows, classes[rows], cut))


def _near(classes: NDArray[np.int64], found: Duplicates, seen: NDArray[np.bool_], cut: int) -> Matches:
    """Near pairs stand for all images with the same pixels, and for a crowd that their ends are the first of.

    Each direction of a pair is a key of its own, and so is each crowd.
    """
    looks = _classes(len(classes), found.crowds)[classes]
    order = np.argsort(looks, kind="stable")
    pairs = looks[found.near]
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    keys = np.arange(len(pairs))
    ends = [_members(looks, order, pairs[:, side], keys) for side in (0, 1)]
    crowded = np.flatnonzero(np.isin(looks, [crowd[0] for crowd in found.crowds]))
    crowds = _sides(crowded, looks[crowded], cut)
    forth = _first_only(ends[0], cut), _second_only(ends[1], cut)
    back = _first_only(ends[1], cut), _second_only(ends[0], cut)
    matched = match_keys(*map(_apart, forth, back, crowds))
    asked = int(seen[:cut].sum()), int(seen[cut:].sum())
    return replace(matched, keys_second=asked[1], asked=asked[1], asked_first=asked[0])


def _members(
    classes: NDArray[np.int64], order: NDArray[np.int64], wanted: NDArray[np.int64], keys: NDArray[np.int64]
) -> Keyed:
    """Every place of each wanted class, with the key that goes with it."""
    ordered = classes[order]
    low, high = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    counts = high - low
    steps = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return Keyed(order[np.repeat(low, counts) + steps], np.repeat(keys, counts))


def _sides(rows: NDArray[np.int64], codes: NDArray[np.int64], cut: int) -> tuple[Keyed, Keyed]:
    both = Keyed(rows, codes)
    return _first_only(both, cut), _second_only(both, cut)


def _first_only(keyed: Keyed, cut: int) -> Keyed:
    return Keyed(keyed.rows[keyed.rows < cut], keyed.codes[keyed.rows < cut])


def _second_only(keyed: Keyed, cut: int) -> Keyed:
    return Keyed(keyed.rows[keyed.rows >= cut] - cut, keyed.codes[keyed.rows >= cut])


def _apart(forth: Keyed, back: Keyed, crowds: Keyed) -> Keyed:
    """The keys of three kinds, told apart."""
    kinds = (forth, back, crowds)
    codes = [len(kinds) * one.codes + place for place, one in enumerate(kinds)]
    return Keyed(np.concatenate([one.rows for one in kinds]), np.concatenate(codes))
