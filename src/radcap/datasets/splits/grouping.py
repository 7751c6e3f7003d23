"""Which records belong together: one article, one patient, one picture.

Invariant: a group is a connected component over shared keys, and its name and number come from those keys
alone, so that the order of the rows never matters. A record that shares nothing is a group of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.datasets.survey.components import components

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["GROUP_COLUMNS", "Groups", "find_groups"]

GROUP_COLUMNS = ("group", "pmcid", "doi")  # each of them names what may not be torn apart
_ARTICLE = re.compile(r"(PMC\d+)(?:\.\d+)?", re.IGNORECASE)  # PMC123.2 is a version of PMC123
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Groups:
    """The group of each record; groups are in the order of their keys."""

    numbers: NDArray[np.int64]
    keys: tuple[str, ...]  # column and value, such as `pmcid PMC123`
    named: NDArray[np.bool_]  # records that name a group

    @property
    def singles(self) -> int:
        """Records that name no group."""
        return int(np.count_nonzero(~self.named))

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.bincount(self.numbers, minlength=len(self.keys))


@dataclass(frozen=True, slots=True)
class _Links:
    """Which row names which key, over all columns."""

    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    keys: tuple[str, ...]
    named: NDArray[np.bool_]


def find_groups(table: pa.Table, same: Iterable[Sequence[int]] = ()) -> Groups:
    """The groups of a table by its key columns; `same` holds further rows that belong together."""
    links = _links(table)
    chains = [pair for cluster in same for pair in pairwise(cluster)]
    edges = np.concatenate([_edges(links), np.array(chains, np.int64).reshape(-1, 2)])
    roots = components(table.num_rows, edges)
    best = np.full(table.num_rows, len(links.keys), np.int64)
    np.minimum.at(best, roots[links.rows], links.codes)
    found, numbers = np.unique(best[roots], return_inverse=True)
    codes: list[int] = found.tolist()
    return Groups(numbers.astype(np.int64), tuple(links.keys[code] for code in codes), links.named)


def _links(table: pa.Table) -> _Links:
    """Keys in one dictionary: those of groups first, image ids last."""
    columns = [name for name in GROUP_COLUMNS if name in table.column_names]
    named = np.zeros(table.num_rows, bool)
    parts: list[tuple[NDArray[np.int64], list[tuple[int, str]]]] = []
    for place, name in enumerate((*columns, "image_id")):
        rows, keys = _keys_of(table[name], name, place)
        parts.append((rows, keys))
        if name != "image_id":
            named[rows] = True
    everything = sorted({key for _, keys in parts for key in keys})
    numbers = {key: number for number, key in enumerate(everything)}
    codes = [numbers[key] for _, keys in parts for key in keys]
    return _Links(
        np.concatenate([rows for rows, _ in parts]),
        np.array(codes, np.int64),
        tuple(key for _, key in everything),
        named,
    )


def _keys_of(column: Any, name: str, place: int) -> tuple[NDArray[np.int64], list[tuple[int, str]]]:
    """The rows that have a value in a column, and its key with the place of the column before it."""
    encoded = pa.concat_arrays([column.combine_chunks()]).dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    values: list[str] = encoded.dictionary.to_pylist()
    keys = [_key(name, place, value) for value in values]
    named = [bool(value.strip()) or name == "image_id" for value in values]
    rows = np.flatnonzero(np.array(named, bool)[codes]) if keys else np.zeros(0, np.int64)
    return rows, [keys[code] for code in codes[rows].tolist()]


def _key(name: str, place: int, value: str) -> tuple[int, str]:
    if name == "image_id":
        return place, f"image {value}"
    text = value.strip()
    article = _ARTICLE.fullmatch(text)
    if article:  # whichever column names it, an article is the same article
        return 0, f"article {article[1].upper()}"
    if name == "doi":
        text = _DOI.sub("", text).casefold()
    return place, f"{name} {text}"


def _edges(links: _Links) -> NDArray[np.int64]:
    """Pairs of rows that share a key: each with the next one."""
    order = np.argsort(links.codes, kind="stable")
    rows, codes = links.rows[order], links.codes[order]
    equal = codes[1:] == codes[:-1]
    return np.stack([rows[:-1][equal], rows[1:][equal]], axis=1)
