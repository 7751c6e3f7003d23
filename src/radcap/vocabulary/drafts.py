"""What a source gives: names, types, parents, codes and retired concepts, as Arrow tables.

Invariant: every table has the columns of its schema; CUIs and types are numbers, checked by who reads them.
Names stand in any order; a smaller rank is a better name, and the best one of a concept becomes its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from radcap.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from radcap.vocabulary.stamps import Source

__all__ = [
    "CODES",
    "NAMES",
    "PARENTS",
    "PREFERRED",
    "RETIRED",
    "SYNONYM",
    "TYPES",
    "Draft",
    "join_drafts",
    "make_draft",
]

PREFERRED, SYNONYM = 0, 100  # ranks of sources that tell no more than these two

NAMES = pa.schema({"cui": pa.uint32(), "name": pa.large_string(), "source": pa.uint16(), "rank": pa.uint32()})
TYPES = pa.schema({"cui": pa.uint32(), "type": pa.uint16()})
PARENTS = pa.schema({"cui": pa.uint32(), "parent": pa.uint32()})
CODES = pa.schema({"cui": pa.uint32(), "source": pa.uint16(), "code": pa.large_string()})
RETIRED = pa.schema({"cui": pa.uint32(), "relation": pa.string(), "now": pa.uint32()})  # 0: nothing

_RANKS = 1_000_000  # of one draft; those of the next begin behind them


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a vocabulary before it is compiled. `source` columns are places in `sources`."""

    sources: tuple[Source, ...]
    names: Any
    types: Any = field(default_factory=TYPES.empty_table)
    parents: Any = field(default_factory=PARENTS.empty_table)
    codes: Any = field(default_factory=CODES.empty_table)
    retired: Any = field(default_factory=RETIRED.empty_table)


def make_draft(
    sources: Iterable[Source],
    names: Sequence[tuple[int, str, int, int]],
    types: Sequence[tuple[int, int]] = (),
    parents: Sequence[tuple[int, int]] = (),
    codes: Sequence[tuple[int, int, str]] = (),
    retired: Sequence[tuple[int, str, int]] = (),
) -> Draft:
    """A draft from rows, each in the order of its schema's columns."""
    return Draft(
        tuple(sources),
        _table(names, NAMES),
        _table(types, TYPES),
        _table(parents, PARENTS),
        _table(codes, CODES),
        _table(retired, RETIRED),
    )


def _table(rows: Sequence[tuple[object, ...]], schema: Any) -> Any:
    columns = list(zip(*rows, strict=True)) or [[] for _ in schema]
    try:
        arrays = [pa.array(column, one.type) for column, one in zip(columns, schema, strict=True)]
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text {error.object!r} holds half a character, which no file keeps. Mend it at its source."
        ) from None
    return pa.table(arrays, schema)


def join_drafts(drafts: Sequence[Draft]) -> Draft:
    """All of them as one; the names of an earlier draft are better than those of a later one."""
    if not drafts:
        return make_draft((), ())
    sources: list[Source] = []
    moved: list[Draft] = []
    for place, one in enumerate(drafts):
        shift = len(sources)
        moved.append(
            replace(
                one,
                names=_add(_add(one.names, "source", shift), "rank", place * _RANKS),
                codes=_add(one.codes, "source", shift),
            )
        )
        sources += one.sources
    return Draft(
        tuple(sources),
        *(
            pa.concat_tables([getattr(one, name) for one in moved])
            for name in ("names", "types", "parents", "codes", "retired")
        ),
    )


def _add(table: Any, column: str, number: int) -> Any:
    """The table with a number added to a column."""
    place = table.schema.get_field_index(column)
    kind = table.schema.field(column).type
    added = pc.add(table.column(column), pa.scalar(number, kind))
    return table.set_column(place, column, added)
