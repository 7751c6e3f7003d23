"""When, where and as what the articles behind the images were published.

Invariant: articles are counted, not images; an image that names no article counts as one of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.datasets.lists import rows_of, split_cells
from radcap.datasets.statistics.counting import Count, count_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["PublicationStatistics", "publication_statistics", "year_column"]

_YEARS = ("year", "pub_year", "publication_year")
_JOURNALS = ("journal", "journal_title")
_TYPES = ("publication_type", "publication_types", "article_type")


@dataclass(frozen=True, slots=True)
class PublicationStatistics:
    """Articles by year (in order), journal and type; empty where the dataset does not say."""

    years: tuple[Count, ...]
    journals: tuple[Count, ...]
    types: tuple[Count, ...]  # an article may have several, separated by `;`


def year_column(dataset: Dataset) -> str | None:
    """The column that has the year of publication."""
    return _column(dataset, _YEARS)


def publication_statistics(dataset: Dataset, groups: NDArray[np.int64]) -> PublicationStatistics:
    """What further columns say of the articles; `groups` has the number of the article of each image."""
    years = _articles(dataset, _YEARS, groups)
    return PublicationStatistics(
        years=tuple(sorted(years, key=lambda one: one.name)),
        journals=_articles(dataset, _JOURNALS, groups),
        types=_articles(dataset, _TYPES, groups, several=True),
    )


def _column(dataset: Dataset, names: tuple[str, ...]) -> str | None:
    there = {name.casefold(): name for name in reversed(dataset.table.column_names)}
    return next((there[name] for name in names if name in there), None)


def _articles(
    dataset: Dataset, names: tuple[str, ...], groups: NDArray[np.int64], *, several: bool = False
) -> tuple[Count, ...]:
    """Each value of a column and how many articles have it."""
    name = _column(dataset, names)
    if name is None:
        return ()
    if several:
        cells = split_cells(dataset.column(name))
        return count_values(*_first_of_each(cells.flatten(), groups[rows_of(cells)]))
    return count_values(*_first_of_each(dataset.column(name), groups))


def _first_of_each(values: Any, groups: NDArray[np.int64]) -> tuple[Any, None]:
    """The values, each once for an article."""
    coded = values.dictionary_encode()
    width = max(1, len(coded.dictionary))
    _, first = np.unique(groups * width + coded.indices.to_numpy(), return_index=True)
    return values.take(pa.array(first)), None
