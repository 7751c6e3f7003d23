"""Editions of a dataset, or its splits, side by side.

Invariant: everything is set against the first; shares are of all images of a dataset, `unknown` included, and
concepts are told by their CUI alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError
from radcap.datasets.statistics.comparison_column import DatasetColumn
from radcap.datasets.statistics.comparison_tables import comparison_tables
from radcap.datasets.statistics.concepts import ConceptCount, concept_counts, names_of
from radcap.datasets.statistics.distances import jensen_shannon, total_variation
from radcap.datasets.statistics.figures import statistics
from radcap.datasets.statistics.label_matrix import label_matrix
from radcap.datasets.statistics.modalities import modality_title
from radcap.datasets.statistics.plain import plain
from radcap.datasets.statistics.splits import CaptionCount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.core import Cui
    from radcap.datasets.dataset import Dataset
    from radcap.datasets.statistics.counting import Count
    from radcap.datasets.statistics.figures import Statistics
    from radcap.datasets.statistics.label_matrix import LabelMatrix
    from radcap.report import Table

__all__ = ["DatasetColumn", "DatasetComparison", "compare_datasets"]

_LISTED = 10  # concepts that are new or lost, the most frequent ones


@dataclass(frozen=True, slots=True)
class DatasetComparison:
    """Datasets in the order they were given."""

    datasets: tuple[DatasetColumn, ...]

    def tables(self) -> tuple[Table, ...]:
        return comparison_tables(self.datasets)

    def to_json(self) -> dict[str, Any]:
        return plain(self)


def compare_datasets(datasets: Sequence[Dataset]) -> DatasetComparison:
    """Set datasets side by side; of a single one, its splits."""
    columns = _columns(datasets)
    if len(columns) < 2:  # noqa: PLR2004, a comparison takes two
        named = f"{columns[0].name} has one split" if columns else "No dataset was given"
        raise UsageError(
            f"{named}. There is nothing to compare. Give two datasets, or one with several splits."
        )
    return DatasetComparison(tuple(_column(one, columns[0]) for one in columns))


@dataclass(frozen=True, slots=True)
class _Counted:
    """What the comparison needs of a dataset."""

    name: str
    stats: Statistics
    labels: LabelMatrix
    names: Mapping[Cui, str]


def _columns(datasets: Sequence[Dataset]) -> list[_Counted]:
    if len(datasets) == 1:
        whole = datasets[0]
        return [_counted(whole.split(name), name) for name in whole.splits]
    return [_counted(one, name) for one, name in zip(datasets, _told_apart(datasets), strict=True)]


def _counted(dataset: Dataset, name: str) -> _Counted:
    return _Counted(name, statistics(dataset), label_matrix(dataset.column("cui")), names_of(dataset))


def _told_apart(datasets: Sequence[Dataset]) -> list[str]:
    """The names; where two are the same, a number follows."""
    names = [one.name for one in datasets]
    return [
        f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _column(one: _Counted, first: _Counted) -> DatasetColumn:
    stats = one.stats
    mine, theirs = set(one.labels.cuis), set(first.labels.cuis)
    modalities, base = (_shares(each.stats.modalities, title=True) for each in (one, first))
    both = {**base, **modalities}
    return DatasetColumn(
        name=one.name,
        images=stats.images,
        groups=stats.groups,
        captions={
            source: CaptionCount(found.n, found.words.mean) for source, found in stats.captions.items()
        },
        concepts=stats.concepts.per_image.total,
        concepts_per_image=stats.concepts.per_image.mean,
        unique=stats.concepts.unique,
        modalities=modalities,
        licences=_shares(stats.licences.families),
        modality_shift={key: 100 * (modalities.get(key, 0.0) - base.get(key, 0.0)) for key in both},
        total_variation=total_variation(base, modalities),
        jensen_shannon=jensen_shannon(base, modalities),
        shared=len(mine & theirs),
        overlap=len(mine & theirs) / max(1, len(mine | theirs)),
        new=len(mine - theirs),
        lost=len(theirs - mine),
        top_new=_top(one, without=theirs),
        top_lost=_top(first, without=mine),
    )


def _top(one: _Counted, without: set[Cui]) -> tuple[ConceptCount, ...]:
    return concept_counts(one.labels, one.labels.frequencies, one.names, most=_LISTED, without=without)


def _shares(counts: Sequence[Count], *, title: bool = False) -> dict[str, float]:
    """Counts as shares of their sum. Codes of one modality, such as `DRCT` and `CT`, count as one."""
    total = max(1, sum(one.n for one in counts))
    shares: dict[str, float] = {}
    for one in counts:
        name = modality_title(one.name) if title else one.name
        shares[name] = shares.get(name, 0.0) + one.n / total
    return shares
