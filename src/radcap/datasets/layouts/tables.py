"""Tables of several files as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["stacked"]


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of all rows; a further column that one file lacks is empty there."""
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    filled: Any = [_with_all(table, names) for table in tables]
    return pa.concat_tables(filled).combine_chunks()


def _with_all(table: pa.Table, names: Sequence[str]) -> pa.Table:
    blank = pa.array([""], pa.string()).take(pa.array([0] * table.num_rows, pa.int64()))
    there = set(table.column_names)
    columns = [table[name] if name in there else blank for name in names]
    return pa.Table.from_arrays(columns, names=list(names))
