"""The images at the ends: smallest, darkest, flattest, with the longest caption, and so on.

Invariant: what decides is a number that is shown with the image; of equal ones the first record leads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from radcap.datasets.caption_parts import caption_parts, source_titles
from radcap.datasets.lists import rows_of
from radcap.datasets.records import CaptionSource
from radcap.datasets.statistics.captions import word_counts
from radcap.datasets.statistics.label_matrix import label_matrix
from radcap.report.names import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.survey.survey import Survey

__all__ = ["End", "outliers"]

MOST = 6  # images at each end


@dataclass(frozen=True, slots=True)
class End:
    """One end of the dataset: what it is called, and its images with the number that put them there."""

    title: str
    unit: str  # what the number is
    images: tuple[tuple[int, str], ...]  # place of the record, number in words


def outliers(dataset: Dataset, survey: Survey | None = None, most: int = MOST) -> tuple[End, ...]:
    """Every end there is; those of pixels need a survey."""
    ends = [*(_pixel_ends(survey, most) if survey else ()), *_label_ends(dataset, most)]
    return tuple(end for end in ends if end.images)


def _pixel_ends(survey: Survey, most: int) -> Iterator[End]:
    good = np.flatnonzero(survey.decoded)
    width, height = survey.widths[good].astype(float), survey.heights[good].astype(float)
    aspect = np.maximum(width, height) / np.maximum(np.minimum(width, height), 1)

    def size(place: int) -> str:
        return f"{survey.widths[place]:,} \u00d7 {survey.heights[place]:,}"

    def mean(place: int) -> str:
        return f"{survey.means[place]:.1f}"

    def spread(place: int) -> str:
        return f"{survey.deviations[place]:.1f}"

    yield End("Smallest", "pixels", _first(good, width * height, size, most))
    yield End("Largest", "pixels", _first(good, -width * height, size, most))
    yield End("Most extreme shape", "pixels", _first(good, -aspect, size, most))
    yield End("Darkest", "mean, 0 to 255", _first(good, survey.means[good], mean, most))
    yield End("Brightest", "mean, 0 to 255", _first(good, -survey.means[good], mean, most))
    yield End("Flattest", "standard deviation", _first(good, survey.deviations[good], spread, most))


def _label_ends(dataset: Dataset, most: int) -> Iterator[End]:
    parts = caption_parts(dataset.column("captions"))
    for source, name in source_titles("caption", parts).items():
        if source in parts:
            yield from _caption_ends(parts[CaptionSource(source)], name, most)
    concepts = label_matrix(dataset.column("cui")).per_image
    labelled = np.flatnonzero(concepts)
    yield End(
        "Most concepts",
        "",
        _first(labelled, -concepts[labelled], lambda at: counted(int(concepts[at]), "concept"), most),
    )


def _caption_ends(captions: Any, name: str, most: int) -> Iterator[End]:
    """The longest and the shortest captions of one source."""
    rows = rows_of(captions)
    words = word_counts(captions.flatten().field("text"))
    longest, shortest = np.full(len(captions), -1), np.full(len(captions), np.iinfo(np.int64).max)
    np.maximum.at(longest, rows, words)
    np.minimum.at(shortest, rows, words)
    there = np.unique(rows)
    yield End(f"Longest {name}", "", _first(there, -longest[there], lambda at: _words(longest[at]), most))
    yield End(f"Shortest {name}", "", _first(there, shortest[there], lambda at: _words(shortest[at]), most))


def _words(n: int) -> str:
    return counted(int(n), "word")


def _first(
    places: NDArray[np.int64], keys: NDArray[np.number], told: Callable[[int], str], most: int
) -> tuple[tuple[int, str], ...]:
    """The places with the smallest keys; where all are the same there is no end."""
    if not len(keys) or keys.min() == keys.max():
        return ()
    order = np.argsort(keys, kind="stable")[:most]
    return tuple((place, told(place)) for place in places[order].tolist())
