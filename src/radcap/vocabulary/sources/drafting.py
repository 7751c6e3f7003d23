"""A draft that grows name by name, its names kept as Arrow so that millions stay small.

Invariant: what is added is checked already.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from radcap.vocabulary.drafts import CODES, NAMES, PARENTS, TYPES, Draft

if TYPE_CHECKING:
    from radcap.vocabulary.stamps import Source

__all__ = ["Drafting"]

_BATCH = 65_536  # names as Python objects at a time


class Drafting:
    """Collects the rows of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._batches: list[Any] = []
        self._cuis, self._ranks = array("I"), array("I")
        self._names: list[str] = []
        self._types: list[tuple[int, int]] = []
        self._parents: list[tuple[int, int]] = []
        self._codes: tuple[array[int], list[str]] = (array("I"), [])

    def add_name(self, cui: int, name: str, rank: int) -> None:
        self._cuis.append(cui)
        self._ranks.append(rank)
        self._names.append(name)
        if len(self._names) == _BATCH:
            self._flush()

    def add_type(self, cui: int, number: int) -> None:
        self._types.append((cui, number))

    def add_parent(self, cui: int, parent: int) -> None:
        self._parents.append((cui, parent))

    def add_code(self, cui: int, code: str) -> None:
        self._codes[0].append(cui)
        self._codes[1].append(code)

    def finish(self) -> Draft:
        """The draft of everything that was added."""
        self._flush()
        cuis, codes = self._codes
        numbers = pa.array(np.zeros(len(codes), np.uint16))
        held = [pa.array(cuis, pa.uint32()), numbers, pa.array(codes, pa.large_string())]
        return Draft(
            (self._source,),
            pa.concat_tables(self._batches),
            _pairs(self._types, TYPES),
            _pairs(self._parents, PARENTS),
            pa.table(held, schema=CODES),
        )

    def _flush(self) -> None:
        columns = [
            pa.array(self._cuis, pa.uint32()),
            pa.array(self._names, pa.large_string()),
            pa.array(np.zeros(len(self._names), np.uint16)),
            pa.array(self._ranks, pa.uint32()),
        ]
        self._batches.append(pa.table(columns, schema=NAMES))
        self._cuis, self._ranks, self._names = array("I"), array("I"), []


def _pairs(rows: list[tuple[int, int]], schema: Any) -> Any:
    unique = np.unique(np.array(rows, np.uint32).reshape(-1, 2), axis=0)
    columns = [pa.array(unique[:, place], one.type) for place, one in enumerate(schema)]
    return pa.table(columns, schema=schema)
