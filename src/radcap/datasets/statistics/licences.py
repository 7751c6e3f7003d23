"""Images by licence, and how many of them carry terms that keep them out of a release.

Invariant: every image belongs to one family; terms are counted one by one, and an image may have several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from radcap.datasets.lists import single
from radcap.datasets.statistics.counting import Count, count_values, sorted_counts
from radcap.datasets.statistics.licence_terms import NOT_STATED, licence_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from radcap.datasets.dataset import Dataset

__all__ = ["LicenceStatistics", "LicenceYear", "licence_statistics"]


@dataclass(frozen=True, slots=True)
class LicenceYear:
    """Images of one year of publication, and how many of them carry SA or ND terms."""

    year: str
    images: int
    share_alike: int
    no_derivatives: int


@dataclass(frozen=True, slots=True)
class LicenceStatistics:
    """Images by family, by the text as it is written, and by term."""

    families: tuple[Count, ...]
    texts: tuple[Count, ...]
    non_commercial: int
    share_alike: int
    no_derivatives: int
    not_stated: int
    by_year: tuple[LicenceYear, ...]  # in order; images that name no year are left out


def licence_statistics(dataset: Dataset, years: str | None = None) -> LicenceStatistics:
    """The licences of a dataset; `years` names the column that has the year of publication."""
    coded = single(dataset.column("licence")).dictionary_encode()
    codes = coded.indices.to_numpy()
    licences = [licence_of(text) for text in coded.dictionary.to_pylist()]
    sizes = np.bincount(codes, minlength=len(licences))
    terms = [(one.non_commercial, one.share_alike, one.no_derivatives) for one in licences]
    flags = np.array(terms, np.int64).reshape(-1, 3)
    families: dict[str, int] = {}
    for one, n in zip(licences, sizes.tolist(), strict=True):
        families[one.family] = families.get(one.family, 0) + n
    commercial, alike, fixed = (sizes @ flags).tolist()
    return LicenceStatistics(
        families=sorted_counts([Count(name, n) for name, n in families.items()]),
        texts=count_values(dataset.column("licence")),
        non_commercial=commercial,
        share_alike=alike,
        no_derivatives=fixed,
        not_stated=families.get(NOT_STATED, 0),
        by_year=_by_year(dataset, years, flags[codes]) if years else (),
    )


def _by_year(dataset: Dataset, column: str, flags: NDArray[np.int64]) -> tuple[LicenceYear, ...]:
    years = dataset.column(column)
    counts = [{one.name: one.n for one in count_values(years, weights)} for weights in (None, *flags.T[1:])]
    images, alike, fixed = counts
    return tuple(
        LicenceYear(year, images[year], alike.get(year, 0), fixed.get(year, 0)) for year in sorted(images)
    )
