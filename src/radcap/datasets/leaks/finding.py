"""What a test set shares with the data that a system has learnt from.

Invariant: every kind of evidence is looked for, and what could not be compared is said; images are never
called the same without pixel evidence.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from radcap.core import UsageError
from radcap.datasets.leaks.captions import Texts
from radcap.datasets.leaks.evidence import Evidence
from radcap.datasets.leaks.images import compare_pictures, survey_of
from radcap.datasets.leaks.matching import Keyed, Matches, code_both, match_keys
from radcap.datasets.leaks.nearest_images import Nearest, nearest_images
from radcap.datasets.leaks.values import Leak, Leaks
from radcap.datasets.splits.grouping import GROUP_COLUMNS, Groups, find_groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.survey.survey import Survey

__all__ = ["find_leaks", "leaks_within"]

_FEWEST = 2  # words in a row


def find_leaks(
    first: Dataset,
    second: Dataset,
    *,
    surveys: tuple[Survey, Survey] | None = None,
    ngram: int = 13,
    progress: Callable[[str, int], None] | None = None,
) -> Leaks:
    """What the second dataset, a test, shares with the first, what was learnt from.

    `surveys` are those of both datasets; without them images are not compared. `ngram` is how many words in a
    row make a copied text. `progress` is told what was compared, and how many kinds of evidence that gave.
    """
    if ngram < _FEWEST:
        raise UsageError(
            f"ngram is {ngram}. It counts words in a row: give {_FEWEST} or more, 13 as others do."
        )
    told = progress if progress is not None else _silent
    groups = _groups(first, second)
    found = {Evidence.GROUP: _same_group(groups, len(first)), Evidence.ID: _same_id(first, second)}
    told("groups", len(found))
    nearest = None
    if surveys is not None:
        pictures, nearest = _pictures(first, second, surveys, groups)
        found |= pictures
        told("images", len(found))
    found |= _texts(first, second, ngram)
    told("captions", len(found))
    kinds = tuple(Leak(kind, found[kind], len(second)) for kind in Evidence if kind in found)
    skipped = tuple(kind for kind in Evidence if kind not in found)
    return Leaks(first, second, _titles(first, second), kinds, skipped, nearest)


def leaks_within(
    dataset: Dataset,
    *,
    survey: Survey | None = None,
    ngram: int = 13,
    progress: Callable[[str, int], None] | None = None,
) -> tuple[Leaks, ...]:
    """The leaks between all pairs of splits: train first, then the others against each other."""
    if survey is not None:
        survey.require(dataset)
    splits = np.array(dataset.column("split").to_pylist(), object)
    places = {name: np.flatnonzero(splits == name) for name in dataset.splits}
    found: list[Leaks] = []
    for first, second in combinations(dataset.splits, 2):
        surveys = (
            (survey_of(survey, places[first]), survey_of(survey, places[second]))
            if survey is not None
            else None
        )
        sides = dataset.take(places[first]), dataset.take(places[second])
        found.append(find_leaks(*sides, surveys=surveys, ngram=ngram, progress=progress))
    return tuple(found)


def _silent(what: str, done: int) -> None:
    """Nobody wants to know."""


def _titles(first: Dataset, second: Dataset) -> tuple[str, str]:
    """What the report calls the two: by their names, or by their splits where the names are one."""
    if first.name != second.name:
        return first.name, second.name
    splits = [" and ".join(one.splits) for one in (first, second)]
    if splits[0] != splits[1]:
        return f"{first.name} {splits[0]}", f"{second.name} {splits[1]}"
    return "first", "second"


def _groups(first: Dataset, second: Dataset) -> Groups:
    """The groups of both together. Places stand for ids: an id that is on both sides makes no article."""
    there = {*first.table.column_names, *second.table.column_names}
    names = [name for name in GROUP_COLUMNS if name in there]
    columns = [pa.concat_arrays([_column(first, name), _column(second, name)]) for name in names]
    places = pa.array(np.arange(len(first) + len(second))).cast(pa.string())
    return find_groups(pa.Table.from_arrays([*columns, places], names=[*names, "image_id"]))


def _column(dataset: Dataset, name: str) -> pa.Array:
    if name in dataset.table.column_names:
        return dataset.column(name)
    return pa.array([""] * len(dataset), pa.string())


def _same_group(groups: Groups, cut: int) -> Matches:
    rows = np.flatnonzero(groups.named)
    before = rows < cut
    codes = groups.numbers[rows]
    return match_keys(Keyed(rows[before], codes[before]), Keyed(rows[~before] - cut, codes[~before]))


def _same_id(first: Dataset, second: Dataset) -> Matches:
    ours, theirs = code_both(first.column("image_id"), second.column("image_id"))
    return match_keys(Keyed(np.arange(len(ours)), ours), Keyed(np.arange(len(theirs)), theirs))


def _pictures(
    first: Dataset, second: Dataset, surveys: tuple[Survey, Survey], groups: Groups
) -> tuple[dict[Evidence, Matches], Nearest | None]:
    for dataset, survey in zip((first, second), surveys, strict=True):
        survey.require(dataset)
    same = compare_pictures(*surveys)
    found = {Evidence.FILE: same.files, Evidence.PIXELS: same.pixels, Evidence.NEAR: same.near}
    return found, nearest_images(*surveys, groups.numbers[: len(first)])


def _texts(first: Dataset, second: Dataset, ngram: int) -> dict[Evidence, Matches]:
    texts = Texts(first, second)
    return {
        Evidence.CAPTION: texts.equal(),
        Evidence.LIKE_CAPTION: texts.alike(),
        Evidence.WORDS: texts.runs(ngram),
        Evidence.INSIDE: texts.inside(),
        Evidence.WEAK_CAPTION: texts.weak(),
        Evidence.COMPOSED: texts.composed(),
    }
