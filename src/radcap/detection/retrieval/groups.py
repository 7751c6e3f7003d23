"""Pairs of a query and a vector of the same article or patient.

Invariant: an empty group name means 'unknown', and shares nothing with anything.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from radcap.core import UsageError
from radcap.detection.retrieval.searching import Hidden

__all__ = ["same_group"]


def same_group(groups: Sequence[str], asked: Sequence[str], queries: int) -> Hidden:
    """What gives, for a range of queries, the pairs that share a group: rows from 0 on, and places."""
    if len(asked) != queries:
        raise UsageError(f"{queries:,} queries have {len(asked):,} groups. Give one for each, '' if unknown.")
    if not groups:
        raise UsageError(
            "The index knows no groups. Neighbours cannot be left out by group. Build it with them."
        )
    codes = {name: code for code, name in enumerate(dict.fromkeys(groups)) if name}
    own = np.array([codes.get(name, -1) for name in groups])
    order = np.argsort(own, kind="stable")
    ordered = own[order]

    def pairs(start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        wanted = np.array([codes.get(name, -2) for name in asked[start:stop]])
        begin = np.searchsorted(ordered, wanted, side="left")
        many = np.searchsorted(ordered, wanted, side="right") - begin
        steps = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        return np.repeat(np.arange(len(wanted)), many), order[np.repeat(begin, many) + steps]

    return pairs
