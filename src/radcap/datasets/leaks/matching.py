"""Which records of two datasets share a key, whatever the key is.

Invariant: of each record of the second dataset at most one partner is named, the earliest in the first; the
counts are over all of them. Cost grows with the keys, never with the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Keyed", "Matches", "code_both", "match_keys"]


@dataclass(frozen=True, slots=True)
class Keyed:
    """Keys of records; a record may have several or none."""

    rows: NDArray[np.int64]
    codes: NDArray[Any]  # numbers that are equal where the keys are


@dataclass(frozen=True, slots=True)
class Matches:
    """Records of the second dataset that share a key with the first."""

    seconds: NDArray[np.int64]  # places, ascending
    firsts: NDArray[np.int64]  # the partner of each
    images_first: int  # records of the first dataset that share a key with the second
    keys: int  # keys on both sides
    keys_second: int  # keys of the second dataset
    asked: int  # records of the second dataset that have a key at all
    asked_first: int

    @property
    def images(self) -> int:
        return len(self.seconds)


def match_keys(first: Keyed, second: Keyed) -> Matches:
    """The records of both sides with equal codes."""
    order = np.argsort(first.rows, kind="stable")
    known, at = np.unique(first.codes[order], return_index=True)
    partner = first.rows[order][at]
    mine, places = np.unique(second.codes, return_inverse=True)
    shared = np.isin(mine, known)
    hits = np.flatnonzero(shared[places])
    partners = partner[np.searchsorted(known, second.codes[hits])]
    lead = np.lexsort((partners, second.rows[hits]))
    seconds, lead_at = np.unique(second.rows[hits][lead], return_index=True)
    return Matches(
        seconds,
        partners[lead][lead_at],
        len(np.unique(first.rows[np.isin(first.codes, mine)])),
        int(shared.sum()),
        len(mine),
        len(np.unique(second.rows)),
        len(np.unique(first.rows)),
    )


def code_both(first: pa.Array, second: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two columns of text as numbers of one dictionary."""
    codes = pa.concat_arrays([first, second]).dictionary_encode().indices.to_numpy().astype(np.int64)
    return codes[: len(first)], codes[len(first) :]
